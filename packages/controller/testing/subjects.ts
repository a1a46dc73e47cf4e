/**
 * What the laws of resources must be told of each resource: the values that need a meaning, and how a row comes to be
 * where no operation makes one. Everything else follows from the declarations.
 *
 * Every resource stands here, if only with an empty entry, so that nobody adds one without having looked at its laws.
 */
import { randomUUID } from 'node:crypto'
import { CertificateAuthority } from '@weft/pki'
import { systemClock } from '../clock.ts'
import type { Change } from '../resource-kit/change.ts'

export type Values = Readonly<Record<string, unknown>>

/** What entries may ask for. */
export interface Makers {
  /** A text that no other call has given. */
  fresh(about: string): string
  /** A new row of a collection, as small as can be but for the values given; answers its id. */
  make(collection: string, values?: Values): Promise<string>
}

type Maker = (makers: Makers) => unknown

export interface Subject {
  /** Members of bodies that cannot be made from the declaration. */
  readonly members?: Readonly<Record<string, Maker>>
  /** Members that every body names, though none requires them. */
  readonly always?: readonly string[]
  /** Members that cannot stand beside the others. */
  readonly never?: readonly string[]
  /** Writes a row, where no operation creates one. */
  readonly row?: (makers: Makers) => Promise<(change: Change) => { readonly id: string }>
  /** Fields whose value is not the one that was sent: hashes. */
  readonly transformed?: readonly string[]
  /** Members that a PATCH which does not name them takes away. */
  readonly clearedByPatch?: readonly string[]
  /** Where an item is written, when that is not where it is read. */
  readonly itemPath?: string
}

const FAR_AHEAD = '2100-01-02T03:04:05.678Z'

export const subjects: Readonly<Record<string, Subject>> = {
  'auth-policies': {
    members: {
      primary: async ({ make }) => ({
        cert: { allowed: false, allowExpiredCerts: false },
        updb: {
          allowed: false,
          minPasswordLength: 7,
          requireSpecialChar: true,
          requireNumberChar: true,
          requireMixedCase: true,
          maxAttempts: 7,
          lockoutDurationMinutes: 7,
        },
        extJwt: { allowed: false, allowedSigners: [await make('external-jwt-signers')] },
      }),
      secondary: async ({ make }) => ({
        requireTotp: true,
        requireExtJwtSigner: await make('external-jwt-signers'),
      }),
    },
  },
  identities: { members: { enrollment: () => ({ ott: true }) } },
  authenticators: {
    members: { method: () => 'updb', password: () => 'sample password' },
    always: ['username', 'password'],
    never: ['certPem'],
    transformed: ['passwordHash'],
  },
  enrollments: { members: { method: () => 'ott' }, never: ['caId', 'username'] },
  mfas: {
    async row({ make, fresh }) {
      const identityId = await make('identities')
      const values = { identityId, sealedSeed: fresh('seed'), sealedRecoveryCodes: fresh('codes') }
      return (change) => change.create('mfas', values)
    },
  },
  'api-sessions': {
    async row({ make, fresh }) {
      const values = { identityId: await make('identities'), token: fresh('token'), lastActivityAt: FAR_AHEAD }
      return (change) => change.create('apiSessions', values, { idKind: 'cuid' })
    },
  },
  'api-session-certificates': {
    async row({ make, fresh }) {
      const values = { apiSessionId: await make('api-sessions'), certificate: fresh('certificate') }
      return (change) => change.create('apiSessionCertificates', values, { idKind: 'short' })
    },
  },
  sessions: {
    async row({ make, fresh }) {
      const identityId = await make('identities')
      const apiSessionId = await make('api-sessions')
      const serviceId = await make('services')
      // A session that no policy grants is ended within a moment.
      const roles = { identityRoles: [`@${identityId}`], serviceRoles: [`@${serviceId}`] }
      const policy = { name: fresh('grant'), type: 'Dial', semantic: 'AnyOf', ...roles }
      return (change) => {
        change.create('servicePolicies', policy)
        return change.create('sessions', { type: 'Dial', identityId, apiSessionId, serviceId })
      }
    },
  },
  revocations: { members: { id: () => randomUUID(), type: () => 'JTI' } },
  'config-types': { members: { schema: () => ({ type: 'object' }), target: () => 'router' } },
  configs: { members: { data: () => ({ sample: true }) } },
  services: { members: { terminatorStrategy: () => 'weighted' } },
  terminators: {},
  'edge-routers': { members: { configs: routerConfigs } },
  'transit-routers': { members: { configs: routerConfigs } },
  'service-policies': { members: { type: () => 'Bind' } },
  'edge-router-policies': {},
  'service-edge-router-policies': {},
  'posture-checks': {
    members: {
      operatingSystems: () => [{ type: 'Linux', versions: ['1.2.3'] }],
      macAddresses: () => ['0123456789ab'],
    },
  },
  cas: {
    members: {
      certPem: newAuthority,
      externalIdClaim: () => ({
        location: 'SAN_URI',
        matcher: 'SCHEME',
        matcherCriteria: 'spiffe',
        parser: 'SPLIT',
        parserCriteria: '/',
        index: 7,
      }),
    },
    clearedByPatch: ['externalIdClaim'],
  },
  'external-jwt-signers': {
    members: { externalAuthUrl: () => 'https://sample.example/login' },
    always: ['jwksEndpoint'],
    never: ['certPem'],
  },
  controllers: {
    async row({ fresh }) {
      const values = { name: fresh('controller'), ctrlAddress: 'tls:127.0.0.1:6262', lastJoinedAt: FAR_AHEAD }
      return (change) => change.create('controllers', values)
    },
  },
  'controller-settings': {
    members: {
      oidc: () => ({
        redirectUris: ['https://sample.example/in'],
        postLogoutUris: ['https://sample.example/out'],
      }),
    },
    itemPath: '/{id}/effective',
  },
}

async function routerConfigs({ make }: Makers): Promise<readonly string[]> {
  const configTypeId = await make('config-types', { target: 'router' })
  return [await make('configs', { configTypeId })]
}

async function newAuthority(): Promise<string> {
  const subject = { commonName: `sample ${randomUUID()}` }
  const authority = await CertificateAuthority.createRoot({ subject, trustDomain: 'sample' }, { clock: systemClock })
  return authority.certificate.pem
}
