/** What is said about files that are wrong: a small right one with something added. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError } from '@weft/model/config-file'
import { loadRouterConfig } from './load-router-config.ts'

const minimal = readFileSync(join(import.meta.dirname, '../../../testdata/router-config/minimal.yml'), 'utf8')

/** The findings about a text: place, path and message. */
function findings(text: string): string[] {
  try {
    return loadRouterConfig({ fileName: 'router.yml', text }, {}, {}).warnings.map(
      ({ line, column, path, message }) => `${line}:${column} ${path}: warning: ${message}`,
    )
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`)
  }
}

const cases: [added: string, ...found: string[]][] = [
  ['forwrder: {}', '4:1 forwrder: warning: unknown key, ignored; did you mean forwarder?'],
  ['ha: { enabled: true }', '4:1 ha: warning: has no effect: several controllers are always followed'],
  [
    'listeners: [{ binding: edge, address: "tls:0.0.0.0:1" }]',
    '4:13 listeners[0].options.advertise: is required, and missing: how clients reach this listener',
    '4:24 listeners[0].binding: edge needs a section edge, which is missing',
  ],
  [
    'edge: {}\nlisteners: [{ binding: edge, options: { advertise: "a:1" } }]',
    '5:13 listeners[0].address: is required, and missing: where it listens',
  ],
  [
    'listeners: [{ binding: edge_wss, address: "tls:0.0.0.0:1" }]',
    '4:24 listeners[0].binding: wanted one of edge, tunnel, transport, transport_udp, proxy, proxy_udp, found "edge_wss"',
  ],
  ['listeners: [{ binding: proxy, address: "tcp:0.0.0.0:1" }]', '4:13 listeners[0].service: is required, and missing'],
  [
    'dialers: [{ binding: transprt }, { binding: udp }]',
    '4:22 dialers[0].binding: warning: no circuit ends at transprt; did you mean transport?',
    '4:45 dialers[1].binding: warning: no circuit ends at udp',
  ],
  [
    'link: { listeners: [{ binding: transport, bind: "0.0.0.0:1" }] }',
    '4:49 link.listeners[0].bind: wanted protocol:host:port, found no protocol',
  ],
  [
    'link: { listeners: [{ binding: transport, bind: "dtls:0.0.0.0:1" }] }',
    '4:49 link.listeners[0].bind: wanted protocol:host:port, found dtls, for which no library is maintained on this runtime; use tls',
  ],
  [
    'link: { listeners: [{ binding: transport, bind: "wss:0.0.0.0:1" }] }',
    '4:49 link.listeners[0].bind: links are accepted over tls only, not over wss',
  ],
  [
    'link: { dialers: [{ binding: carrier, bind: eth7 }] }',
    '4:30 link.dialers[0].binding: wanted transport, found "carrier"',
  ],
  [
    'link: { dialers: [{ bind: eth7 }] }',
    '4:27 link.dialers[0].bind: no interface of this machine has this name or address',
  ],
  [
    'link: { dialers: [{ healthyDialBackoff: { minRetryInterval: 1h, retryBackoffFactor: 0 } }] }',
    '4:61 link.dialers[0].healthyDialBackoff.minRetryInterval: wanted at most maxRetryInterval, which is 5m, found 1h',
    '4:85 link.dialers[0].healthyDialBackoff.retryBackoffFactor: wanted a number from 1 to 100, found 0',
  ],
  [
    'link: { dialers: [{ unhealthyDialBackoff: { minRetryInterval: 1ms, maxRetryInterval: 25h } }] }',
    '4:63 link.dialers[0].unhealthyDialBackoff.minRetryInterval: wanted a duration such as 30s or 1h30m from 10ms to 24h, found 1ms',
    '4:86 link.dialers[0].unhealthyDialBackoff.maxRetryInterval: wanted a duration such as 30s or 1h30m from 10ms to 24h, found 25h',
  ],
  [
    'forwarder: { linkDialWorkerCount: 0, xgressDialQueueLength: many }',
    '4:35 forwarder.linkDialWorkerCount: wanted a whole number from 1 to 10000, found 0',
    '4:61 forwarder.xgressDialQueueLength: wanted a whole number from 1 to 10000, found "many"',
  ],
  [
    'forwarder: { unresponsiveLinkTimeout: 60000 }',
    '4:14 forwarder.unresponsiveLinkTimeout: warning: has no effect: link.heartbeats.closeUnresponsiveTimeout says so',
  ],
  [
    'metrics: { reportInterval: 60 }',
    '4:28 metrics.reportInterval: wanted a duration such as 30s or 1h30m of at least 1ms, found 60 without a unit',
  ],
  [
    'csr: { sans: { ip: [localhost], uri: ["not a uri"] } }',
    '4:21 csr.sans.ip[0]: wanted an IP address, found "localhost"',
    '4:39 csr.sans.uri[0]: wanted a URI, found "not a uri"',
  ],
  ['plugins: [a.so]', '4:10 plugins: wanted an empty list: extensions for Go programs cannot be loaded'],
  ['proxy: { type: http }', '4:1 proxy.address: is required for type http, and missing'],
  ['proxy: { address: "a:1" }', '4:1 proxy.type: is required, and missing'],
  [
    'transport: { westworld3: { profile_version: 1 } }',
    '4:26 transport.westworld3: warning: has no effect: the transport that it tuned is gone',
  ],
  [
    'transport: { dtls: { readBufferSize: 1 } }',
    '4:14 transport.dtls: warning: has no effect: addresses of that transport are refused',
  ],
  ['transport: { westworld3: 7 }', '4:26 transport.westworld3: wanted a section of names, each anything, found 7'],
  [
    'web: [{ name: a, bindPoints: [{ interface: "0.0.0.0:1", address: "a:1", plainHttp: true }], apis: [{ binding: fabric }] }]',
    '4:84 web[0].bindPoints[0].plainHttp: plain HTTP is for loopback interfaces only, not for 0.0.0.0:1',
    '4:111 web[0].apis[0].binding: wanted one of health-checks, metrics, found "fabric"',
  ],
  // With these the peers start, so that ours does.
  ['forwarder: 5', '4:12 forwarder: warning: wanted a section of `key: value` lines, found 5; it is passed over'],
  ['proxy: [a]', '4:8 proxy: warning: wanted a section of `key: value` lines, found a list; it is passed over'],
  [
    'healthChecks: { linkCheck: often, ctrlPingCheck: { interval: often } }',
    '4:28 healthChecks.linkCheck: wanted a section of `key: value` lines, found often; it is passed over',
    '4:62 healthChecks.ctrlPingCheck.interval: wanted a duration such as 30s or 1h30m of at least 1ms, found "often"',
  ],
  [
    'connectEvents: { batchInterval: 5, maxQueuedEvents: many }',
    '4:33 connectEvents.batchInterval: warning: wanted a duration such as 30s or 1h30m, found 5 without a unit, so the default 3s is used',
    '4:53 connectEvents.maxQueuedEvents: warning: wanted a whole number, found "many", so the default 100000 is used',
  ],
  [
    'enableDebugOps: maybe',
    '4:17 enableDebugOps: warning: wanted true or false, found "maybe", so the default false is used',
  ],
  [
    'link: { dialers: [{ options: { connectTimeout: 90s, maxOutstandingConnects: 0 } }] }',
    '4:48 link.dialers[0].options.connectTimeout: warning: longer than 1m; that is used',
    '4:53 link.dialers[0].options.maxOutstandingConnects: warning: has no effect: only a listener has others say hello',
  ],
  [
    'forwarder: { linkDialWorkerCount: 1 }\nforwarder: {}',
    '5:1 forwarder: warning: given twice; that in line 4 has no effect',
  ],
  ['edge: yes', '4:7 edge: wanted a section of `key: value` lines, found yes'],
]

for (const [added, ...found] of cases) {
  test(added.split('\n').at(-1)!, () => assert.deepEqual(findings(`${minimal}${added}\n`), found))
}

test('all problems are told at once', () => {
  assert.deepEqual(findings('v: 3\nctrl: { endpoint: "ws://a", heartbeats: { sendInterval: often } }\n'), [
    '1:1 identity: is required, and missing',
    '2:19 ctrl.endpoint: wanted protocol:host:port, found a URL',
    '2:57 ctrl.heartbeats.sendInterval: wanted a duration such as 30s or 1h30m, found "often"',
  ])
})

test('another version is refused before anything else is said', () => {
  assert.deepEqual(findings('v: 2\n'), ['1:4 v: wanted 3, the only version understood, found 2'])
})

test('secrets are not repeated', () => {
  const [found] = findings(`${minimal}proxy: { type: http, address: "a:1", password: [hunter2] }\n`)
  assert.match(found!, /proxy\.password: wanted text/)
  assert.doesNotMatch(found!, /hunter2/)
})
