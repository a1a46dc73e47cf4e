/** Files as they are in use with the peers: each starts this router unchanged, and says what has no effect here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRouterConfig } from './load-router-config.ts'

const head = `v: 3
identity:
  cert:                 "\${PKI}/r1-client.cert"
  server_cert:          "\${PKI}/r1-server.cert"
  key:                  "\${PKI}/r1.key"
  ca:                   "\${PKI}/r1.chain.pem"
`

/** The configuration, and the keys that were warned about. */
function load(text: string) {
  const { config, warnings } = loadRouterConfig({ fileName: '/etc/r1.yml', text: head + text }, { PKI: '/pki' }, {})
  return { config, warned: warnings.map(({ path }) => path) }
}

test('a router of the first generation, which only carries, with ports for services', () => {
  const { config, warned } = load(`
forwarder:
  latencyProbeInterval: 10000
  latencyProbeTimeout: 10000
  idleSessionTimeout: 60000
  idleTxInterval: 60000
  linkDialWorkerCount: 10
  xgressDialDwellTime: 0
ctrl:
  endpoint:             tls:127.0.0.1:6262
  dataDir:              /var/lib/r1
link:
  dialers:
    - binding:          transport
  listeners:
    - binding:          transport
      bind:             tls:127.0.0.1:6001
      costTags: [a]
listeners:
  - binding:            proxy
    address:            tcp:0.0.0.0:1122
    service:            ssh
    options:
      retransmission:   true
  - binding:            proxy_udp
    address:            udp:0.0.0.0:7001
    service:            syslog
  - binding:            transport
    address:            tls:0.0.0.0:7002
    options: { randomDrops: true, drop1InN: 5000 }
dialers:
  - binding:            transport
  - binding:            udp
`)
  assert.deepEqual(warned, [
    'forwarder.latencyProbeTimeout',
    'forwarder.idleSessionTimeout',
    'ctrl.dataDir',
    'link.listeners[0].costTags',
    'listeners[0].options.retransmission',
    'dialers[1].binding',
  ])
  assert.equal(config.edge, undefined)
  assert.equal(config.forwarder.latencyProbeInterval, 10_000)
  assert.deepEqual(
    config.listeners.map(({ binding }) => binding),
    ['proxy', 'proxy_udp', 'transport'],
  )
})

test('a router of a load test, in whose options keys stand twice', () => {
  const options = `{ txPortalStartSize: 16384, txPortalIncreaseThresh: 224, txPortalIncreaseThresh: 256, txQueueSize: 0 }`
  const { config, warned } = load(`
enableDebugOps: true
ctrl: { endpoint: "tls:127.0.0.1:6262" }
metrics: { reportInterval: 15s, messageQueueSize: 10 }
link:
  listeners: [{ binding: transport, bind: "tls:0.0.0.0:6000", advertise: "tls:127.0.0.1:6000", options: { outQueueSize: 16 } }]
  dialers: [{ binding: transport, options: { connectTimeout: 90s } }]
dialers:
  - binding: edge
    options: ${options}
listeners:
  - binding: edge
    address: tls:0.0.0.0:6262
    options: { advertise: "127.0.0.1:6262" }
edge: { csr: { country: US, sans: { ip: [ 127.0.0.1 ] } } }
ha:
  enabled: true
`)
  assert.deepEqual(warned, [
    'link.dialers[0].options.connectTimeout',
    'dialers[0].options.txPortalIncreaseThresh',
    'dialers[0].options.txQueueSize',
    'ha',
  ])
  assert.equal(config.dialers.edge?.txPortalIncreaseThresh, 256)
})

test('a router that controllers dial and configure, with a time for handshakes', () => {
  const { config, warned } = load(`
tls: { handshakeTimeout: 30s }
ctrl:
  endpointsFile: /var/lib/r1/endpoints.yml
  startupTimeout: 5m
  listeners:
    - bind: tls:0.0.0.0:6263
      advertise: tls:127.0.0.1:6263
      groups: west
managedConfig:
  allow: [ router.link ]
listeners:
  - binding: tunnel
    options: { mode: host }
edge: { csr: { sans: { ip: [ "127.0.0.1" ] } } }
`)
  assert.deepEqual(warned, [])
  assert.deepEqual([config.tls.handshakeTimeout, config.ctrl.startupTimeout], [30_000, 300_000])
  assert.deepEqual([config.link.listeners, config.link.dialers, config.ctrl.endpoints], [[], [], []])
  assert.deepEqual(config.ctrl.listeners[0]?.groups, ['west'])
})

test('a router that intercepts, with everything that is commented out left as empty sections', () => {
  const { config, warned } = load(`
ctrl:
  endpointsFile: endpoints.yml
link:
  dialers:
    - binding: transport
  listeners:
listeners:
  - binding: edge
    address: wss:0.0.0.0:3022
    options:
      advertise: r1.example.net:3022
      connectTimeoutMs: 5000
      getSessionTimeout: 60
  - binding: tunnel
    options:
      mode: tproxy
      resolver: udp://127.0.0.1:53
      dnsSvcIpRange: 100.64.0.1/10
      lanIf: eth0
edge:
  csr:
    sans:
      dns:
        - r1.example.net
transport:
  ws:
    writeTimeout: 10
    enableCompression: yes
  westworld3:
    profile_version: 1
forwarder:
dialers:
healthChecks:
web:
trace:
profile:
`)
  assert.deepEqual(warned, ['listeners[0].options.getSessionTimeout', 'transport.westworld3'])
  assert.deepEqual(
    [config.link.listeners, config.web, config.dialers, config.trace, config.profile],
    [[], [], {}, undefined, undefined],
  )
  assert.equal(config.transport.webSocket?.enableCompression, true)
})
