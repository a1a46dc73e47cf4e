/** What the stock CLI does with each type of entity that has a name: how it is made, how changed, and what is then shown. */
import type { Json } from './peer-cli.ts'
import { postureCheckLives } from './posture-check-lives.ts'

export interface Life {
  /** The words after `edge create` and `edge update`. */
  readonly words: readonly string[]
  /** The word after `edge list`. */
  readonly collection: string
  /** The word after `edge delete`. */
  readonly removed: string
  /** What a new one is called in the line that says so; without it, the line is the id alone. */
  readonly announced?: string
  /** Where the CLI prints no answer to a creation as JSON. */
  readonly isWithoutJson?: true
  readonly create: readonly string[]
  readonly created: Json
  /** Cells of the row that shows it. */
  readonly row: Readonly<Record<string, string>>
  /** Beside the new name, which is always given. */
  readonly update?: readonly string[]
  readonly updated?: Json
  /** Members that an update takes away. */
  readonly gone?: readonly string[]
}

/** What must be there beforehand; files are named by their paths, signers by their ids. */
export interface Surroundings {
  readonly caCert: string
  readonly otherCaCert: string
  readonly jsonFile: string
  readonly signerId: string
}

const objectSchema = '{"type":"object","required":["port"],"properties":{"port":{"type":"integer"}}}'

export function entityLives({ caCert, otherCaCert, jsonFile, signerId }: Surroundings): readonly Life[] {
  return [
    {
      words: ['config-type'],
      collection: 'config-types',
      removed: 'config-type',
      announced: 'config type',
      create: [objectSchema, '--target', 'service', '-t', 'a=b,c=d'],
      created: { schema: JSON.parse(objectSchema), target: 'service', tags: { a: 'b', c: 'd' } },
      row: { TARGET: 'service' },
      update: ['-d', '{"type":"object"}', '--tags-json', '{"n":1,"b":true}'],
      updated: { schema: { type: 'object' }, target: 'service', tags: { n: 1, b: true } },
    },
    {
      words: ['config'],
      collection: 'configs',
      removed: 'config',
      announced: 'config',
      create: ['peer-type', '{"port":22}', '-t', 'a=b'],
      created: { configType: { name: 'peer-type' }, data: { port: 22 }, tags: { a: 'b' } },
      row: { 'CONFIG TYPE': 'peer-type' },
      update: ['-f', jsonFile],
      updated: { data: { port: 23 }, tags: { a: 'b' } },
    },
    {
      words: ['service'],
      collection: 'services',
      removed: 'service',
      announced: 'service',
      create: [
        ...['-a', 'web,db', '-c', 'peer-config', '-e', 'OFF', '--max-idle-time', '5m'],
        ...['--terminator-strategy', 'random', '-t', 'env=prod'],
      ],
      created: {
        roleAttributes: ['db', 'web'],
        encryptionRequired: false,
        maxIdleTimeMillis: 300_000,
        terminatorStrategy: 'random',
        tags: { env: 'prod' },
      },
      row: { 'ENCRYPTION REQUIRED': 'false', 'TERMINATOR STRATEGY': 'random', ATTRIBUTES: 'db web' },
      update: [
        '-a',
        'app',
        '-e',
        'OFF',
        '--max-idle-time',
        '10s',
        '--terminator-strategy',
        'weighted',
        '-t',
        'env=dev',
      ],
      updated: {
        roleAttributes: ['app'],
        maxIdleTimeMillis: 10_000,
        terminatorStrategy: 'weighted',
        tags: { env: 'dev' },
      },
    },
    {
      words: ['identity'],
      collection: 'identities',
      removed: 'identity',
      announced: 'identity',
      create: [
        ...['-A', '-a', 'one,two', '--external-id', 'external-1', '-p', 'required', '-c', '10', '-P', 'peer-rules'],
        ...['--service-costs', 'peer-service=5', '--service-precedences', 'peer-service=failed'],
        ...['--app-data', 'k=v', '-t', 't=1'],
      ],
      created: {
        isAdmin: true,
        roleAttributes: ['one', 'two'],
        externalId: 'external-1',
        defaultHostingPrecedence: 'required',
        defaultHostingCost: 10,
        authPolicy: { name: 'peer-rules' },
        appData: { k: 'v' },
        tags: { t: '1' },
      },
      row: { TYPE: 'Default', ATTRIBUTES: 'one,two', 'AUTH-POLICY': 'peer-rules' },
      update: [
        ...['-a', '', '-x', 'external-2', '-p', 'failed', '-c', '7', '-P', 'default', '--permissions', 'router.read'],
        ...['--app-data-json-file', jsonFile, '-t', 't=2'],
      ],
      updated: {
        roleAttributes: [],
        externalId: 'external-2',
        defaultHostingPrecedence: 'failed',
        defaultHostingCost: 7,
        authPolicyId: 'default',
        permissions: ['router.read'],
        appData: { port: 23 },
        tags: { t: '2' },
      },
    },
    {
      words: ['edge-router'],
      collection: 'edge-routers',
      removed: 'edge-router',
      announced: 'edge router',
      create: [
        ...['-a', 'r1,r2', '-t', '--cost', '5', '--no-traversal', '--disabled', '--tags', 'a=b', '--app-data', 'x=y'],
        ...['--config', 'peer-router-config', '--bootstrap-ctrl-chan-listener', 'tls:192.0.2.1:6262=g1'],
      ],
      created: {
        roleAttributes: ['r1', 'r2'],
        isTunnelerEnabled: true,
        cost: 5,
        noTraversal: true,
        disabled: true,
        tags: { a: 'b' },
        appData: { x: 'y' },
        ctrlChanListeners: { 'tls:192.0.2.1:6262': ['g1'] },
      },
      row: { ONLINE: 'false', 'ALLOW TRANSIT': 'false', COST: '5', ATTRIBUTES: 'r1 r2' },
      update: ['-a', 'r3', '-t=false', '--cost', '6', '--disabled=false', '--tags', 'c=d', '--app-data', 'z=1'],
      updated: {
        roleAttributes: ['r3'],
        isTunnelerEnabled: false,
        cost: 6,
        disabled: false,
        tags: { c: 'd' },
        appData: { z: '1' },
      },
    },
    {
      words: ['transit-router'],
      collection: 'transit-routers',
      removed: 'transit-router',
      announced: 'transit router',
      create: ['--cost', '3', '--no-traversal', '--config', 'peer-router-config', '-t', 'a=b'],
      created: { cost: 3, noTraversal: true, isVerified: false, tags: { a: 'b' } },
      row: {},
    },
    ...postureCheckLives,
    {
      words: ['service-policy'],
      collection: 'service-policies',
      removed: 'service-policy',
      announced: 'service policy',
      create: [
        ...['Dial', '--service-roles', '@peer-service,#web', '--identity-roles', '#all', '-p', '@peer-check'],
        ...['--semantic', 'AnyOf', '-t', 'a=b'],
      ],
      created: {
        type: 'Dial',
        semantic: 'AnyOf',
        serviceRolesDisplay: [{ name: '#web' }, { name: '@peer-service' }],
        identityRoles: ['#all'],
        postureCheckRolesDisplay: [{ name: '@peer-check' }],
        tags: { a: 'b' },
      },
      row: {
        TYPE: 'Dial',
        SEMANTIC: 'AnyOf',
        'SERVICE ROLES': '#web @peer-service',
        'IDENTITY ROLES': '#all',
        'POSTURE CHECK ROLES': '@peer-check',
      },
      update: ['--service-roles', '#all', '--identity-roles', '@peer-user', '-p', '#pc', '-t', 'c=d'],
      updated: {
        serviceRoles: ['#all'],
        identityRolesDisplay: [{ name: '@peer-user' }],
        postureCheckRoles: ['#pc'],
        tags: { c: 'd' },
      },
    },
    {
      words: ['edge-router-policy'],
      collection: 'edge-router-policies',
      removed: 'edge-router-policy',
      announced: 'edge router policy',
      create: ['--edge-router-roles', '@peer-router', '--identity-roles', '#one,@peer-user', '--semantic', 'AllOf'],
      created: {
        semantic: 'AllOf',
        edgeRouterRolesDisplay: [{ name: '@peer-router' }],
        identityRolesDisplay: [{ name: '#one' }, { name: '@peer-user' }],
      },
      row: { 'EDGE ROUTER ROLES': '@peer-router', 'IDENTITY ROLES': '#one @peer-user' },
      update: ['--edge-router-roles', '#all', '--identity-roles', '#two', '-t', 'c=d'],
      updated: { edgeRouterRoles: ['#all'], identityRoles: ['#two'], tags: { c: 'd' } },
    },
    {
      words: ['service-edge-router-policy'],
      collection: 'service-edge-router-policies',
      removed: 'service-edge-router-policy',
      announced: 'service edge router policy',
      create: ['--edge-router-roles', '#r1,@peer-router', '--service-roles', '@peer-service', '--semantic', 'AllOf'],
      created: {
        semantic: 'AllOf',
        edgeRouterRolesDisplay: [{ name: '#r1' }, { name: '@peer-router' }],
        serviceRolesDisplay: [{ name: '@peer-service' }],
      },
      row: { 'SERVICE ROLES': '@peer-service', 'EDGE ROUTER ROLES': '#r1 @peer-router' },
      update: ['--edge-router-roles', '#all', '--service-roles', '#web', '-t', 'c=d'],
      updated: { edgeRouterRoles: ['#all'], serviceRoles: ['#web'], tags: { c: 'd' } },
    },
    {
      words: ['ca'],
      collection: 'cas',
      removed: 'ca',
      isWithoutJson: true,
      create: [caCert, '-e', '-o', '-u', '-a', 'one', '-f', '[caName]-[commonName]', '-t', 'a=b'],
      created: {
        isAuthEnabled: true,
        isOttCaEnrollmentEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isVerified: false,
        identityRoles: ['one'],
        tags: { a: 'b' },
      },
      row: { FLAGS: '[AOE]' },
      update: [
        ...['-e=false', '-o=false', '-u=false', '-a', 'two', '-f', '[caId]', '-t', 'c=d'],
        ...['-l', 'SAN_URI', '-m', 'SCHEME', '-x', 'spiffe', '-p', 'SPLIT', '-z', '/', '-d', '1'],
      ],
      updated: {
        isAuthEnabled: false,
        isOttCaEnrollmentEnabled: false,
        isAutoCaEnrollmentEnabled: false,
        identityRoles: ['two'],
        identityNameFormat: '[caId]',
        tags: { c: 'd' },
        externalIdClaim: {
          ...{ location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe' },
          ...{ parser: 'SPLIT', parserCriteria: '/', index: 1 },
        },
      },
    },
    {
      words: ['ext-jwt-signer'],
      collection: 'ext-jwt-signers',
      removed: 'external-jwt-signer',
      isWithoutJson: true,
      create: [
        ...['https://issuer.example', '-u', 'https://issuer.example/jwks', '-a', 'audience', '-c', 'email'],
        ...['--client-id', 'client', '--scopes', 'a,b', '-x=false', '-e=false', '--target-token', 'ID'],
        ...['-y', 'https://login.example', '--enroll-to-cert', '--enroll-to-token'],
        ...['--enroll-name-claims-selector', '/name', '--enroll-attr-claims-selector', '/roles'],
        ...['--enroll-auth-policy', 'peer-rules', '-t', 'a=b'],
      ],
      created: {
        issuer: 'https://issuer.example',
        jwksEndpoint: 'https://issuer.example/jwks',
        audience: 'audience',
        claimsProperty: 'email',
        clientId: 'client',
        scopes: ['a', 'b'],
        useExternalId: false,
        enabled: false,
        targetToken: 'ID',
        externalAuthUrl: 'https://login.example',
        enrollToCertEnabled: true,
        enrollToTokenEnabled: true,
        enrollNameClaimsSelector: '/name',
        enrollAttributeClaimsSelector: '/roles',
        tags: { a: 'b' },
      },
      row: {},
      update: [
        ...['-l', 'https://other.example', '-u', 'https://other.example/jwks', '-a', 'others', '-c', 'sub'],
        ...['--client-id', 'client-2', '--scopes', 'c', '-x', '-e', '--target-token', 'ACCESS', '-t', 'c=d'],
      ],
      updated: {
        issuer: 'https://other.example',
        jwksEndpoint: 'https://other.example/jwks',
        audience: 'others',
        claimsProperty: 'sub',
        clientId: 'client-2',
        scopes: ['c'],
        useExternalId: true,
        enabled: true,
        targetToken: 'ACCESS',
        tags: { c: 'd' },
      },
    },
    {
      words: ['ext-jwt-signer'],
      collection: 'ext-jwt-signers',
      removed: 'external-jwt-signer',
      isWithoutJson: true,
      create: ['https://keys.example', '-f', otherCaCert, '-k', 'key-1', '-a', 'audience'],
      created: { jwksEndpoint: null, kid: 'key-1', enabled: true, useExternalId: true, externalAuthUrl: null },
      row: {},
      update: ['-k', 'key-2'],
      updated: { kid: 'key-2', audience: 'audience' },
    },
    {
      words: ['auth-policy'],
      collection: 'auth-policies',
      removed: 'auth-policy',
      isWithoutJson: true,
      create: [
        ...['--primary-cert-allowed', '--primary-cert-expired-allowed', '--primary-ext-jwt-allowed'],
        ...['--primary-ext-jwt-allowed-signers', signerId, '--primary-updb-allowed', '--primary-updb-lockout-min', '3'],
        ...['--primary-updb-max-attempts', '4', '--primary-updb-min-length', '8', '--primary-updb-req-mixed-case'],
        ...['--primary-updb-req-numbers', '--primary-updb-req-special', '--secondary-req-totp'],
        ...['--secondary-req-ext-jwt-signer', signerId, '-t', 'a=b'],
      ],
      created: {
        primary: {
          cert: { allowed: true, allowExpiredCerts: true },
          extJwt: { allowed: true, allowedSigners: [signerId] },
          updb: {
            allowed: true,
            lockoutDurationMinutes: 3,
            maxAttempts: 4,
            minPasswordLength: 8,
            requireMixedCase: true,
            requireNumberChar: true,
            requireSpecialChar: true,
          },
        },
        secondary: { requireTotp: true, requireExtJwtSigner: signerId },
        tags: { a: 'b' },
      },
      row: {},
      update: ['--primary-updb-min-length', '9', '--secondary-req-totp=false', '--primary-cert-expired-allowed=false'],
      updated: {
        primary: { cert: { allowed: true, allowExpiredCerts: false }, updb: { minPasswordLength: 9, maxAttempts: 4 } },
        secondary: { requireTotp: false },
      },
    },
  ]
}
