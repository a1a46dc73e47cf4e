/** What is said about files that are wrong: a small right one, changed in one place. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError, renderProblems } from '@weft/model/config-file'
import { loadControllerConfig } from './load-controller-config.ts'

const folder = join(import.meta.dirname, '../../../testdata/controller-config')
const right = readFileSync(join(folder, 'minimal.yml'), 'utf8')

/** The findings about a text, without the name of the file. */
function findings(text: string, environment = {}): string {
  try {
    return renderProblems(loadControllerConfig({ fileName: 'ctrl.yml', text }, environment).warnings)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

function changed(from: string | RegExp, to: string): string {
  const text = right.replace(from, to)
  assert.notEqual(text, right, `nothing to change: ${from}`)
  return text
}

const cases: [name: string, text: string, findings: string][] = [
  [
    'no client bind point at edge.api.address',
    changed('{ address: "127.0.0.1:1280" }', '{ address: "ctrl.example:1280" }'),
    `ctrl.yml:6:19  edge.api.address  wanted the address of a bind point that serves edge-client, found none with this address
    6 |   api: { address: "ctrl.example:1280" }
      |                   ^^^^^^^^^^^^^^^^^^^`,
  ],
  [
    'the address is served, but not by the client API',
    changed(', { binding: edge-client }', ''),
    `ctrl.yml:6:19  edge.api.address  wanted the address of a bind point that serves edge-client, found none with this address
    6 |   api: { address: "127.0.0.1:1280" }
      |                   ^^^^^^^^^^^^^^^^`,
  ],
  [
    'two default APIs',
    changed('{ binding: edge-client }', '{ binding: edge-client }, { binding: edge-client }'),
    `ctrl.yml:11:79  web[0].apis[2].binding  a second edge-client: two APIs of one server would take all other paths
   11 |     apis: [{ binding: edge-management }, { binding: edge-client }, { binding: edge-client }]
      |                                                                               ^^^^^^^^^^^`,
  ],
  [
    'an unknown binding',
    changed('binding: edge-management', 'binding: edge-mangement'),
    `ctrl.yml:11:23  web[0].apis[0].binding  wanted one of edge-management, edge-client, edge-oidc, fabric, health-checks, metrics, spa, zac, found "edge-mangement"; did you mean edge-management?
   11 |     apis: [{ binding: edge-mangement }, { binding: edge-client }]
      |                       ^^^^^^^^^^^^^^`,
  ],
  [
    'an address without port',
    changed('interface: "127.0.0.1:1280"', 'interface: 127.0.0.1'),
    `ctrl.yml:10:31  web[0].bindPoints[0].interface  wanted host:port, found no port
   10 |     bindPoints: [{ interface: 127.0.0.1, address: "127.0.0.1:1280" }]
      |                               ^^^^^^^^^`,
  ],
  [
    'plain HTTP off loopback',
    changed('interface: "127.0.0.1:1280"', 'plainHttp: true, interface: "0.0.0.0:1280"'),
    `ctrl.yml:10:31  web[0].bindPoints[0].plainHttp  plain HTTP is for loopback interfaces only, not for 0.0.0.0:1280
   10 |     bindPoints: [{ plainHttp: true, interface: "0.0.0.0:1280", address: "127.0.0.1:1280" }]
      |                               ^^^^`,
  ],
  [
    'one interface twice',
    changed(
      '    bindPoints: [',
      '    bindPoints:\n    - { interface: "127.0.0.1:1280", address: "a:1" }\n    - ',
    ).replace('1280" }]', '1280" }'),
    `ctrl.yml:12:20  web[0].bindPoints[1].interface  warning: already taken by main; it cannot be opened twice
   12 |     - { interface: "127.0.0.1:1280", address: "127.0.0.1:1280" }
      |                    ^^^^^^^^^^^^^^^^`,
  ],
  [
    'durations below their minimum',
    changed('{ address: "127.0.0.1:1280" }\n', '{ address: "127.0.0.1:1280", sessionTimeout: 30s }\n').replace(
      'enrollment: {',
      'enrollment: { edgeRouter: { duration: 1m },',
    ),
    `ctrl.yml:6:53  edge.api.sessionTimeout  warning: shorter than 1m, so the default 30m is used
    6 |   api: { address: "127.0.0.1:1280", sessionTimeout: 30s }
      |                                                     ^^^
ctrl.yml:7:41  edge.enrollment.edgeRouter.duration  warning: shorter than 5m, so the default 3h is used
    7 |   enrollment: { edgeRouter: { duration: 1m }, signingCert: { cert: pki/signing.pem, key: pki/signing.key } }
      |                                         ^^`,
  ],
  [
    'tokens that live too short',
    `${changed('edge:\n', 'edge:\n  oidc: { accessTokenDuration: 5s, refreshTokenDuration: 90s }\n')}`,
    `ctrl.yml:6:32  edge.oidc.accessTokenDuration  warning: shorter than 1m; that is used
    6 |   oidc: { accessTokenDuration: 5s, refreshTokenDuration: 90s }
      |                                ^^
ctrl.yml:6:58  edge.oidc.refreshTokenDuration  warning: shorter than accessTokenDuration and a minute; 2m is used
    6 |   oidc: { accessTokenDuration: 5s, refreshTokenDuration: 90s }
      |                                                          ^^^`,
  ],
  [
    'revocations that would never be made',
    changed('edge:\n', 'edge:\n  oidc: { revocationMinTokenLifetime: 12h }\n'),
    `ctrl.yml:6:39  edge.oidc.revocationMinTokenLifetime  wanted less than 12h, half of a refresh token's life, found 12h
    6 |   oidc: { revocationMinTokenLifetime: 12h }
      |                                       ^^^`,
  ],
  [
    'neither db nor cluster',
    changed('db: data/ctrl.db\n', ''),
    `ctrl.yml:1:1  db  is required, and missing: the database file, or cluster.dataDir instead
    1 | v: 3
      | ^`,
  ],
  [
    'a cluster without address, and db beside it',
    changed('db: data/ctrl.db\n', 'db: data/ctrl.db\ncluster: { dataDir: raft, electionTimeout: 5s }\n'),
    `ctrl.yml:2:5  db  warning: has no effect beside cluster
    2 | db: data/ctrl.db
      |     ^^^^^^^^^^^^
ctrl.yml:3:27  cluster.electionTimeout  warning: has no effect: there is nothing to elect or to replicate between controllers here
    3 | cluster: { dataDir: raft, electionTimeout: 5s }
      |                           ^^^^^^^^^^^^^^^
ctrl.yml:5:1  ctrl.options.advertiseAddress  is required in a clustered file, and missing
    5 | ctrl: { listener: "tls:127.0.0.1:6262" }
      | ^^^^`,
  ],
  [
    'TLS versions the wrong way round, or too old',
    changed('  - name: main\n', '  - name: main\n    options: { minTLSVersion: TLS1.3, maxTLSVersion: TLS1.2 }\n'),
    `ctrl.yml:10:54  web[0].options.maxTLSVersion  wanted TLS1.3 or newer, found TLS1.2
   10 |     options: { minTLSVersion: TLS1.3, maxTLSVersion: TLS1.2 }
      |                                                      ^^^^^^`,
  ],
  [
    'a TLS version that is not offered',
    changed('  - name: main\n', '  - name: main\n    options: { minTLSVersion: TLS1.0 }\n'),
    `ctrl.yml:10:31  web[0].options.minTLSVersion  warning: TLS1.0 is not offered; TLS1.2 is
   10 |     options: { minTLSVersion: TLS1.0 }
      |                               ^^^^^^`,
  ],
  [
    'a window with its bounds exchanged',
    changed('edge:\n', 'edge:\n  authRateLimiter: { minSize: 100, maxSize: 50 }\n'),
    `ctrl.yml:6:31  edge.authRateLimiter.minSize  wanted at most maxSize, which is 50, found 100
    6 |   authRateLimiter: { minSize: 100, maxSize: 50 }
      |                               ^^^`,
  ],
  [
    'misspelt keys',
    changed('edge:\n', 'edge:\n  disablePostureCheck: true\n').replace('{ listener', '{ option: {}, listener'),
    `ctrl.yml:4:9  ctrl.option  warning: unknown key, ignored; did you mean options?
    4 | ctrl: { option: {}, listener: "tls:127.0.0.1:6262" }
      |         ^^^^^^
ctrl.yml:6:3  edge.disablePostureCheck  warning: unknown key, ignored; did you mean disablePostureChecks?
    6 |   disablePostureCheck: true
      |   ^^^^^^^^^^^^^^^^^^^`,
  ],
  [
    'event handlers',
    `${right}events:
  a:
    subscriptions: [{ type: session, include: [made] }, { type: nonsense }]
    handler: { type: file, format: xml }
  b: { subscriptions: [{ type: link }], handler: { type: amqp, url: "amqp://u:hunter2@h" } }
`,
    `ctrl.yml:14:47  events.a.subscriptions[0].include  "made" is not one of created, deleted
   14 |     subscriptions: [{ type: session, include: [made] }, { type: nonsense }]
      |                                               ^^^^^^
ctrl.yml:14:65  events.a.subscriptions[1].type  warning: unknown event type "nonsense"; known are …
   14 |     subscriptions: [{ type: session, include: [made] }, { type: nonsense }]
      |                                                                 ^^^^^^^^
ctrl.yml:15:14  events.a.handler.path  wanted the path of the file
   15 |     handler: { type: file, format: xml }
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^
ctrl.yml:16:58  events.b.handler.type  warning: no handler of type "amqp" here; known are file, stdout
   16 |   b: { subscriptions: [{ type: link }], handler: { type: amqp, url: "amqp://u:*******@h" } }
      |                                                          ^^^^
ctrl.yml:16:64  events.b.handler.url  warning: has no effect: handlers of type amqp and servicebus do not exist here
   16 |   b: { subscriptions: [{ type: link }], handler: { type: amqp, url: "amqp://u:*******@h" } }
      |                                                                ^^^`,
  ],
  [
    'a variable that is not set',
    changed('data/ctrl.db', '$NOWHERE/ctrl.db'),
    `ctrl.yml:2:5  db  warning: not set in the environment, so it stands for nothing: NOWHERE
    2 | db: $NOWHERE/ctrl.db
      |     ^^^^^^^^^^^^^^^^`,
  ],
]

for (const [name, text, expected] of cases) {
  test(name, () => {
    const found = findings(text)
    assert.equal(found.replace(/known are .*/, 'known are …'), expected)
  })
}

test('a file of the peers\u2019 own tests loads, with words about what it does not need', () => {
  const text = `${right}trustDomain: ""\nmgmt: { listener: "tls:127.0.0.1:10000" }\nterminator: { validators: { edge: edge } }\n`
  assert.deepEqual(findings(text).match(/^ctrl\.yml:\S+ {2}\S+/gm), [
    'ctrl.yml:13:1  mgmt',
    'ctrl.yml:14:1  terminator',
  ])
})

test('secrets stand in no message', () => {
  const oidc = '{ binding: edge-oidc, options: {\n      secret: hunter2,\n      secrett: 1 } }'
  const found = findings(changed('{ binding: edge-client }', `{ binding: edge-client }, ${oidc}`))
  assert.match(found, /secrett.*unknown key/)
  assert.doesNotMatch(`${found}${findings(cases.find(([name]) => name === 'event handlers')![1])}`, /hunter2/)
})

test('an empty edge or web section says what is missing', () => {
  const paths = findings('v: 3\ndb: x\nedge:\nweb:\nctrl: 5\n').match(/^ctrl\.yml:\S+ {2}\S+/gm)
  assert.deepEqual(paths, [
    'ctrl.yml:1:1  identity',
    'ctrl.yml:3:1  edge.api',
    'ctrl.yml:3:1  edge.enrollment',
    'ctrl.yml:4:1  web',
    'ctrl.yml:5:7  ctrl',
  ])
})
