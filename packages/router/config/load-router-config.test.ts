import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { NetworkInterfaceInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { KindParts } from '@weft/model/config-file'
import { loadRouterConfig } from './load-router-config.ts'
import type { Interfaces } from './local-binding.ts'
import { routerSchema } from './router-schema.ts'

const folder = join(import.meta.dirname, '../../../testdata/router-config')
const address = (host: string) => ({ address: host, family: 'IPv4' }) as NetworkInterfaceInfo
const interfaces: Interfaces = { lo: [address('127.0.0.1')], lan0: [address('192.0.2.1'), address('192.0.2.9')] }

function load(name: string, environment = {}) {
  return loadRouterConfig(join(folder, name), environment, interfaces)
}

function loadText(text: string) {
  const head = readFileSync(join(folder, 'minimal.yml'), 'utf8')
  return loadRouterConfig({ fileName: '/etc/r1/router.yml', text: `${head}${text}` }, {}, interfaces)
}

test('the smallest file: every section that is left out has its rule', () => {
  const { config, warnings } = loadText('')
  assert.deepEqual(warnings, [])
  assert.deepEqual(config.identity.serverCert, 'r1.cert', 'one certificate may do both')
  assert.deepEqual(
    config.ctrl.endpoints.map(({ text }) => text),
    ['tls:127.0.0.1:6262'],
  )
  assert.equal(config.ctrl.endpointsFile, '/etc/r1/endpoints.yml')
  assert.deepEqual([config.edge, config.csr, config.trace, config.profile, config.proxy], Array(5).fill(undefined))
  assert.deepEqual([config.link.listeners, config.link.dialers, config.listeners, config.web], [[], [], [], []])
  assert.equal(config.link.heartbeats.closeUnresponsiveTimeout, 60_000)
  assert.deepEqual(config.dialers, {})
  assert.deepEqual(config.forwarder, {
    faultTxInterval: 15_000,
    idleCircuitTimeout: 60_000,
    idleTxInterval: 60_000,
    latencyProbeInterval: undefined,
    linkDialQueueLength: 1_000,
    linkDialWorkerCount: 32,
    rateLimitedQueueLength: 5_000,
    rateLimitedWorkerCount: 5,
    xgressCloseCheckInterval: 5_000,
    xgressDialDwellTime: 0,
    xgressDialQueueLength: 1_000,
    xgressDialWorkerCount: 128,
  })
  assert.ok(Object.isFrozen(config.ctrl.options))
})

test('a file as generators write it', () => {
  const { config, warnings } = load('usual.yml', { HOME_OF_ROUTER: '/r1' })
  assert.deepEqual(
    warnings.map(({ path }) => path),
    ['listeners[0].options.getSessionTimeout'],
  )
  assert.equal(config.identity.serverCert, '/r1/r1.server.chain.cert')
  assert.equal(config.link.listeners[0]!.advertise.text, 'tls:r1.example.net:10080')
  const [edge, tunnel] = config.listeners
  assert.ok(edge?.binding === 'edge' && tunnel?.binding === 'tunnel')
  assert.deepEqual([edge.address.protocol, edge.advertise.text], ['wss', 'r1.example.net:3022'])
  assert.equal(edge.options.outQueueSize, 64, 'the usual size is widened for clients')
  assert.equal(tunnel.options.mode.kind, 'host')
  assert.equal(config.csr?.organizationalUnit, 'Operations')
  assert.equal(config.edge?.db, `${join(folder, 'usual.yml')}.proto.gzip`)
  assert.equal(config.forwarder.latencyProbeInterval, undefined, 'zero means as usual')
  assert.equal(config.transport.webSocket?.idleTimeout, 120_000, 'both spellings of the section count')
})

test('every key reaches its place', () => {
  const { config, warnings } = load('every-key.yml', { PROXY_PASSWORD: 'secret' })
  assert.deepEqual(warnings, [])
  const { ctrl, link, edge } = config
  assert.deepEqual(
    ctrl.endpoints.map(({ host }) => host),
    ['c1.example.net', 'c2.example.net'],
  )
  assert.deepEqual(ctrl.localBinding, { interfaceName: 'lan0', address: '192.0.2.1' })
  assert.deepEqual(
    [ctrl.defaultRequestTimeout, ctrl.startupTimeout, ctrl.endpointsFile],
    [7_000, 0, 'state/controllers.yml'],
  )
  assert.deepEqual(ctrl.options, {
    outQueueSize: 5,
    connectTimeout: 6_000,
    writeTimeout: 9_000,
  })
  assert.deepEqual(Object.values(ctrl.heartbeats), [11_000, 2_000, 31_000, 6_000])
  assert.deepEqual(Object.values(ctrl.rateLimiter), [false, 6, 251, 31_000, 0.8, 1.1, 0.7, 11, 12])
  const [controllerListener] = ctrl.listeners
  assert.deepEqual(
    [controllerListener!.advertise.text, controllerListener!.groups, controllerListener!.bindInterface],
    ['tls:r1.example.net:6263', ['west'], 'lan0'],
  )
  assert.deepEqual(Object.values(controllerListener!.options), [6, 2, 17, undefined, 5_000])

  assert.deepEqual(
    link.listeners.map(({ advertise, bindInterface, groups }) => [advertise.text, bindInterface, groups]),
    [
      ['tls:r1.example.net:10080', 'lan0', ['east', 'west']],
      ['tls:0.0.0.0:10081', 'wan0', ['default']],
    ],
  )
  const [dialer] = link.dialers
  assert.deepEqual(dialer!.localBinding, { interfaceName: 'lan0', address: '192.0.2.1' })
  assert.deepEqual([dialer!.maxDefaultConnections, dialer!.maxAckConnections], [1, 0], 'not split is one connection')
  assert.deepEqual(Object.values(dialer!.healthyDialBackoff), [6_000, 360_000, 2])
  assert.deepEqual(Object.values(dialer!.unhealthyDialBackoff), [120_000, 7_200_000, 11.5])
  assert.deepEqual([dialer!.startupDelay, dialer!.options.connectTimeout], [4_000, 4_000])
  assert.deepEqual(Object.values(link.heartbeats), [12_000, 1_000, 30_000])
  assert.deepEqual([link.payloadSenderQueueSize, link.ackSenderQueueSize], [129, 65])

  const [clients, tunnel, , packets, proxy] = config.listeners
  assert.ok(clients?.binding === 'edge' && tunnel?.binding === 'tunnel' && proxy?.binding === 'proxy')
  assert.ok(packets?.binding === 'transport_udp')
  assert.deepEqual([clients.address.text, clients.advertise.text], ['tls:0.0.0.0:3022', 'r1.example.net:3022'])
  assert.deepEqual(Object.values(clients.options), [
    ...[8, 1, 16, undefined, 6_000, 7_000, 1_400, true, 50, 2, 32_768, 8_192, 65_536, 29, 2, 65, 0.5, 66, 0.8],
    ...[131_072, 201, 2.5, 3, 9_000, 5, 29_000, 31_000, 240_000, 8_000],
  ])
  const { mode, resolver, dnsUpstream, dnsUnanswerable, services, lanIf } = tunnel.options
  assert.deepEqual([mode.kind, mode.diverter], ['tproxy', '/usr/sbin/diverter'])
  assert.deepEqual([resolver, dnsUpstream, lanIf], [['udp://192.0.2.1:53'], ['udp://192.0.2.53:53'], ['lan0']])
  assert.equal(dnsUnanswerable, 'servfail')
  assert.deepEqual(
    services.map(({ service, port, protocol }) => [service, port, protocol]),
    [
      ['ssh', 2_222, 'tcp'],
      ['syslog', 5_140, 'udp'],
    ],
  )
  assert.deepEqual([packets.address, proxy.service], ['udp:0.0.0.0:7003', 'ssh'])
  assert.deepEqual(Object.keys(config.dialers), ['transport', 'transport_udp'])
  assert.deepEqual([config.dialers.transport?.connectTimeout, config.dialers.transport?.retxScale], [3_000, 3])

  assert.deepEqual([edge?.db, edge?.dbSaveInterval, edge?.heartbeatInterval], ['state/model.gz', 45_000, 30_000])
  assert.equal(edge?.apiProxy?.upstream.text, 'ctrl.example.net:1280')
  assert.deepEqual(
    Object.values(config.forwarder),
    [15_001, 60_001, -1, 1_001, 1, 50_000, 1, 5_001, 1, 1_002, 129, 500],
  )
  assert.equal(config.transport.webSocket?.identity?.serverCert, 'ws.cert')
  assert.deepEqual([config.proxy?.address.text, config.proxy?.password], ['proxy.example.net:3128', 'secret'])
  assert.equal(config.csr?.sans.uri[0], 'spiffe://example/r1', 'the top level wins')
  assert.deepEqual([config.healthChecks.linkCheck.minLinks, config.metrics.reportInterval], [2, 15_000])
  const [health] = config.web
  assert.equal(health!.options.minTlsVersion, 'TLSv1.3')
  assert.deepEqual(health!.bindPoints[1], {
    identity: {
      ...{ file: 'monitor.json', env: 'MONITOR_IDENTITY', service: 'health' },
      clientAuthentication: 'requestclientcert',
      listenOptions: { bindUsingEdgeIdentity: true },
    },
  })
  assert.deepEqual(health!.apis[1], {
    binding: 'metrics',
    options: { scrapeCert: 'scraper.pem', includeTimestamps: true },
  })
  assert.deepEqual([config.profile?.memory?.interval, config.enableDebugOps], [20_000, true])
})

/** The names of all keys of a kind, however deep. */
function namesOf(parts: KindParts | undefined): string[] {
  if (parts === undefined) return []
  if ('of' in parts) return namesOf(parts.of.parts)
  const sections = parts.form === 'section' ? [parts.section] : Object.values(parts.choices)
  return sections.flatMap(({ keys }) =>
    Object.entries(keys).flatMap(([property, { name, kind }]) => [name ?? property, ...namesOf(kind.parts)]),
  )
}

test('the file with every key has every key', () => {
  const text = readFileSync(join(folder, 'every-key.yml'), 'utf8')
  const missing = new Set(namesOf(routerSchema.parts).filter((name) => !new RegExp(`\\b${name}:`).test(text)))
  // What two keys of one section say of the same thing stands there once.
  const others = ['endpoint', 'ws', 'westworld3', 'plainHttp']
  assert.deepEqual(
    [...missing].filter((name) => !others.includes(name)),
    [],
  )
})

test('one listener and one dialer are the two sides of one interface', () => {
  const links = (dialer: string) =>
    loadText(`link: { listeners: [{ bind: "tls:127.0.0.1:6000" }], dialers: [${dialer}] }\n`).config.link.dialers[0]!
  assert.deepEqual([links('{ binding: transport }').bindInterface, links('{}').localBinding], ['lo', undefined])
  assert.equal(links('{ bind: lan0 }').bindInterface, 'lan0')
  assert.equal(links('{ bindInterface: "tls:192.0.2.9:0" }').localBinding?.address, '192.0.2.9')
})

test('a section of heartbeats is less patient than none', () => {
  const patience = (text: string) => loadText(text).config.link.heartbeats.closeUnresponsiveTimeout
  assert.deepEqual([patience('link: {}\n'), patience('link: { heartbeats: { sendInterval: 5s } }\n')], [60_000, 30_000])
})

test('values that the peers replace are replaced, with a warning', () => {
  const { config, warnings } = loadText(`
forwarder: { latencyProbeInterval: 20 }
edge: { dbSaveIntervalSeconds: 5, heartbeatIntervalSeconds: 90 }
connectEvents: { batchInterval: 1ms, fullSyncInterval: 90h, maxQueuedEvents: 20000000 }
metrics: { eventQueueSize: 3 }
listeners: [{ binding: tunnel, options: { udpIdleTimeout: 1s } }]
`)
  assert.deepEqual(
    warnings.map(({ path, message }) => `${path}: ${message}`),
    [
      'forwarder.latencyProbeInterval: less than 100; that is used',
      'edge.dbSaveIntervalSeconds: less than 30; that is used',
      'edge.heartbeatIntervalSeconds: more than 60, so the default 60 is used',
      'connectEvents.batchInterval: shorter than 250ms; that is used',
      'connectEvents.fullSyncInterval: longer than 24h; that is used',
      'connectEvents.maxQueuedEvents: more than 10000000; that is used',
      'metrics.eventQueueSize: less than 16; that is used',
      'listeners[0].options.udpIdleTimeout: shorter than 5s, so the default 5m is used',
    ],
  )
  assert.equal(config.forwarder.latencyProbeInterval, 100)
  assert.deepEqual([config.edge?.dbSaveInterval, config.edge?.heartbeatInterval], [30_000, 60_000])
  assert.deepEqual(Object.values(config.connectEvents), [true, 250, 86_400_000, 10_000_000])
})

test('endpoint wins over endpoints, with a warning', () => {
  const text = 'v: 3\nidentity: { cert: a, key: b, ca: c }\nctrl: { endpoint: "tls:a:1", endpoints: ["tls:b:1"] }\n'
  const { config, warnings } = loadRouterConfig({ fileName: 'r.yml', text }, {}, {})
  assert.deepEqual(
    config.ctrl.endpoints.map(({ text }) => text),
    ['tls:a:1'],
  )
  assert.deepEqual(
    warnings.map(({ message }) => message),
    ['has no effect beside endpoint'],
  )
})
