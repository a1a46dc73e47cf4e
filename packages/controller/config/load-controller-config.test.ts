import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadControllerConfig } from './load-controller-config.ts'

const folder = join(import.meta.dirname, '../../../testdata/controller-config')
const environment = { PKI: '/pki', DATA: '/data', LOGS: '/logs', OIDC_SECRET: 'hunter2', HOME_DIR: '/home/net' }

function load(name: string) {
  return loadControllerConfig(join(folder, name), environment)
}

const address = (host: string, port: number) => ({ host, port, text: `${host}:${port}` })

test('a minimal file gets every default', () => {
  const { config, warnings } = load('minimal.yml')
  assert.deepEqual(warnings, [])
  const identity = {
    cert: 'pki/client.pem',
    key: 'pki/ctrl.key',
    serverCert: 'pki/client.pem',
    serverKey: 'pki/ctrl.key',
    ca: 'pki/cas.pem',
    altServerCerts: [],
  }
  const heartbeats = { sendInterval: 10_000, checkInterval: 1_000, closeUnresponsiveTimeout: 30_000 }
  assert.deepEqual(config, {
    identity,
    database: 'data/ctrl.db',
    isClustered: false,
    trustDomain: undefined,
    additionalTrustDomains: [],
    ctrl: {
      listener: { protocol: 'tls', host: '127.0.0.1', port: 6262, text: 'tls:127.0.0.1:6262' },
      options: {
        advertiseAddress: undefined,
        newListener: undefined,
        outQueueSize: 4,
        maxQueuedConnects: 1,
        maxOutstandingConnects: 16,
        connectTimeout: 5_000,
        writeTimeout: undefined,
        routerHeartbeats: heartbeats,
        peerHeartbeats: heartbeats,
      },
      dialer: {
        enabled: false,
        groups: ['default'],
        dialDelay: 30_000,
        minRetryInterval: 1_000,
        maxRetryInterval: 300_000,
        retryBackoffFactor: 1.5,
        fastFailureWindow: 5_000,
        queueSize: 32,
        maxWorkers: 10,
      },
    },
    edge: {
      api: {
        address: address('127.0.0.1', 1280),
        sessionTimeout: 1_800_000,
        activityUpdateInterval: 90_000,
        activityUpdateBatchSize: 250,
        disableOidcAutoBinding: false,
      },
      enrollment: {
        signingCert: { cert: 'pki/signing.pem', key: 'pki/signing.key', ca: undefined },
        edgeIdentity: { duration: 10_800_000 },
        edgeRouter: { duration: 10_800_000 },
      },
      oidc: {
        accessTokenDuration: 1_800_000,
        idTokenDuration: 1_800_000,
        refreshTokenDuration: 86_400_000,
        revocationMinTokenLifetime: 0,
        revocationBucketInterval: 60_000,
        revocationBucketMaxSize: 200,
        revocationMaxQueued: 25_000,
        revocationEnforcerFrequency: 60_000,
      },
      totp: { hostname: 'openziti.io' },
      authRateLimiter: { enabled: true, minSize: 5, maxSize: 250, timeout: 30_000 },
      identityStatus: { scanInterval: 60_000, unknownTimeout: 300_000, source: 'hybrid' },
      externalJwtSigners: {
        jwksFetch: {
          blockPrivateAddresses: false,
          deniedIPs: [],
          allowedIPs: [],
          deniedHostnames: [],
          allowedHostnames: [],
          timeout: 5_000,
          maxRedirects: 5,
        },
      },
      disablePostureChecks: false,
    },
    web: [
      {
        name: 'main',
        bindPoints: [
          {
            interface: address('127.0.0.1', 1280),
            address: address('127.0.0.1', 1280),
            newAddress: undefined,
            plainHttp: false,
          },
        ],
        identity,
        apis: [
          { binding: 'edge-management', options: {} },
          { binding: 'edge-client', options: {} },
        ],
        options: {
          readTimeout: 5_000,
          idleTimeout: 5_000,
          writeTimeout: 10_000,
          minTlsVersion: 'TLSv1.2',
          maxTlsVersion: 'TLSv1.3',
        },
      },
    ],
    network: {
      createCircuitRetries: 2,
      cycle: 60_000,
      routeTimeout: 10_000,
      pendingLinkTimeout: 10_000,
      initialLinkLatency: 65_000,
      intervalAgeThreshold: undefined,
      metricsReportInterval: 60_000,
      minRouterCost: 10,
      routerConnectChurnLimit: 60_000,
      routerMessaging: { queueSize: 100, maxWorkers: 100 },
      smart: { rerouteFraction: 0.02, rerouteCap: 4, minCostDelta: 15 },
    },
    events: {},
    healthChecks: { boltCheck: { interval: 30_000, timeout: 20_000, initialDelay: 30_000 } },
    command: {
      background: { enabled: true, queueSize: 1_000, dropWhenFull: false, delayThreshold: 50 },
      rateLimiter: { enabled: true, maxQueued: 100 },
    },
    connectEvents: { queueSize: 5, idleTime: 30_000 },
    tls: {
      handshakeTimeout: 5_000,
      rateLimiter: {
        enabled: false,
        minSize: 5,
        maxSize: 2_500,
        timeout: undefined,
        successThreshold: 0.9,
        increaseFactor: 1.02,
        decreaseFactor: 0.9,
        increaseCheckInterval: 10,
        decreaseCheckInterval: 10,
      },
    },
    routerDataModel: { logSize: 10_000, listenerBufferSize: 1_000 },
    trace: undefined,
    profile: undefined,
    journal: { maxAge: 7_776_000_000, maxSize: undefined },
    log: { level: 'info', format: undefined },
    secretsKeyFile: join('data', 'secrets.key'),
  })
})

test('everything in the file that says everything reaches the configuration', () => {
  const { config, warnings } = load('standalone.yml')
  assert.deepEqual(
    warnings.map(({ path, message }) => `${path}: ${message}`),
    ['web[0].apis[5].binding: is the former form of spa with path zac'],
  )
  const fromDefault: string[] = []
  const minimal = load('minimal.yml').config
  const compare = (path: string, one: unknown, other: unknown): void => {
    if (typeof one === 'object' && one !== null && typeof other === 'object' && other !== null && !Array.isArray(one)) {
      for (const key of Object.keys(one)) compare(`${path}.${key}`, Reflect.get(one, key), Reflect.get(other, key))
    } else if (JSON.stringify(one) === JSON.stringify(other)) fromDefault.push(path)
  }
  compare('', config, minimal)
  // These say in the file what they would be without it.
  assert.deepEqual(fromDefault, [
    '.isClustered',
    '.ctrl.listener.port',
    '.ctrl.listener.protocol',
    '.ctrl.options.peerHeartbeats.checkInterval',
    '.ctrl.options.peerHeartbeats.closeUnresponsiveTimeout',
    '.edge.api.address.port',
    '.edge.authRateLimiter.enabled',
    '.edge.authRateLimiter.timeout',
    '.edge.disablePostureChecks',
    '.command.rateLimiter.enabled',
  ])
})

test('what is written in many ways arrives in one', () => {
  const { config } = load('standalone.yml')
  assert.equal(config.database, '/data/ctrl.db')
  assert.equal(config.trustDomain, 'example.net')
  assert.deepEqual(config.additionalTrustDomains, ['old.example.net', 'older.example.net'])
  assert.equal(config.identity.altServerCerts[1]!.serverKey, '/pki/ctrl/client.key')
  assert.deepEqual(config.ctrl.listener, { protocol: 'tls', host: '::', port: 6262, text: 'tls:[::]:6262' })
  assert.equal(config.ctrl.dialer.enabled, true)
  assert.equal(config.command.rateLimiter.maxQueued, 1_000)
  const { deniedHostnames, allowedHostnames } = config.edge.externalJwtSigners.jwksFetch
  assert.deepEqual(deniedHostnames, ['*.internal.example.net'])
  assert.deepEqual(allowedHostnames, ['idp.example.net', 'xn--bcher-kva.example'])
  assert.deepEqual(config.profile?.memory, { path: '/logs/memory.profile', interval: 60_000 })
  assert.equal(config.secretsKeyFile, '/etc/weft/secrets.key')
})

test('servers carry their APIs with the options of each', () => {
  const [open, inside, overlay] = load('standalone.yml').config.web
  assert.deepEqual(open!.apis.slice(4), [
    {
      binding: 'edge-oidc',
      options: {
        secret: 'hunter2',
        redirectUris: ['http://localhost:*/auth/callback'],
        postLogoutUris: ['http://localhost:*/auth/logout'],
        allowedHostnames: ['ctrl.example.net'],
      },
    },
    { binding: 'spa', isZac: true, options: { path: 'zac', location: './console', indexFile: 'index.html' } },
  ])
  assert.deepEqual(open!.bindPoints[1], {
    interface: { host: '::1', port: 1281, text: '[::1]:1281' },
    address: { host: '::1', port: 1281, text: '[::1]:1281' },
    newAddress: undefined,
    plainHttp: false,
  })
  assert.deepEqual(inside!.options, {
    readTimeout: 6_000,
    idleTimeout: 10_000,
    writeTimeout: 100_000,
    minTlsVersion: 'TLSv1.2',
    maxTlsVersion: 'TLSv1.3',
  })
  assert.equal(inside!.identity.serverCert, '/pki/inside/client.pem')
  assert.deepEqual(overlay!.bindPoints, [
    {
      identity: {
        file: undefined,
        env: 'OVERLAY_IDENTITY',
        service: 'management',
        clientAuthentication: 'requireanyclientcert',
        listenOptions: { bindUsingEdgeIdentity: true },
      },
    },
  ])
})

test('a clustered file is a cluster of one', () => {
  const { config, warnings } = load('clustered.yml')
  assert.deepEqual(warnings, [])
  assert.equal(config.isClustered, true)
  assert.equal(config.database, join('/home/net/instance-1/raft', 'ctrl.db'))
  assert.equal(config.secretsKeyFile, join('/home/net/instance-1/raft', 'secrets.key'))
  assert.equal(config.ctrl.options.advertiseAddress?.text, 'tls:localhost:1280')
  assert.equal(config.profile, undefined)
})

test('the configuration cannot be changed', () => {
  const { config } = load('standalone.yml')
  assert.throws(() => Object.assign(config.edge.api, { sessionTimeout: 1 }), TypeError)
  assert.throws(() => Object.assign(config.events['changes']!, { handler: {} }), TypeError)
})
