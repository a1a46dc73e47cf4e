/** Controllers that dial a router, over real TLS: who is let in, and what both sides say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CertificateAuthority, generatePrivateKey, publicKeyOf } from '@weft/pki'
import { type Channel, type Connection, controlPlan, dial, dialChannel } from '@weft/wire'
import { capabilityMask, controlHello, controllerCapability, controlMessages } from '@weft/wire/messages'
import { eventually } from '../testing/eventually.ts'
import { testIdentity, testRoot } from '../testing/test-router-links.ts'
import { TlsPorts } from '../transport/tls-ports.ts'
import { ControllerAcceptor } from './controller-acceptor.ts'
import { ControllerConnection } from './controller-connection.ts'
import { routerHelloHeaders } from './router-hello.ts'

const limits = { timeout: 20_000 }
const log = { debug() {}, info() {}, warn() {}, error() {} }
const surroundings = {
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
  log,
  randomBytes: (size: number) => crypto.getRandomValues(Buffer.alloc(size)),
}
const version = 'v2.1.0|x|y|linux|amd64'
const capable = capabilityMask(Object.values(controllerCapability))
const options = { outQueueSize: 4, maxQueuedConnects: 2, maxOutstandingConnects: 16, connectTimeout: 5_000 }
const heartbeats = {
  sendInterval: 1_000,
  checkInterval: 100,
  closeUnresponsiveTimeout: 5_000,
  unresponsiveAfter: 5_000,
}
const place = { protocol: 'tls', host: '127.0.0.1', port: 0, text: 'tls:127.0.0.1:0' } as const

type AcceptorOptions = ConstructorParameters<typeof ControllerAcceptor>[1]

/** A router that listens. */
async function setUp({ bind = place }: { readonly bind?: AcceptorOptions['listeners'][number]['bind'] } = {}) {
  const stack = new AsyncDisposableStack()
  const router = await testIdentity('r1')
  let refusal: string | undefined
  let isWanted = true
  let port = 0
  const bound: ControllerConnection[] = []
  const accepted: ControllerConnection[] = []
  const ports = stack.use(new TlsPorts({ identity: () => router, log }, { handshakeTimeout: 5_000 }))
  const acceptor = stack.use(
    new ControllerAcceptor(
      {
        routerId: 'r1',
        identity: () => router,
        ports: {
          async use(at) {
            const use = await ports.use(at)
            port = use.port.address.port
            return use
          },
        },
        routerHello: () => routerHelloHeaders([], [{ address: 'tls:r1:6262', groups: ['default'] }]),
        refusalOf: () => refusal,
        bind: (connection) => void bound.push(connection),
        accepted(connection) {
          assert.ok(connection.isConnected, 'whoever hears of it can speak to it')
          return isWanted && accepted.push(connection) > 0
        },
        surroundings,
      },
      {
        heartbeats,
        defaultRequestTimeout: 5_000,
        listeners: [
          {
            ...{ bind, advertise: bind, bindInterface: '', groups: ['default'] },
            options: { ...options, writeTimeout: undefined },
          },
        ],
      },
    ),
  )
  await acceptor.listen()
  return {
    ...{ acceptor, bound, accepted },
    refuse(text: string | undefined) {
      refusal = text
    },
    want(is: boolean) {
      isWanted = is
    },
    /** A connection over which nothing is said. */
    connect({ client }: Client): Promise<Connection> {
      return dial(`tls:127.0.0.1:${port}`, { protocols: ['ziti-ctrl'], tls: { client, caPem: router.caPem } })
    },
    /** Waits until so many were taken in, and answers who. */
    async takes(count: number): Promise<readonly string[]> {
      await eventually(() => accepted.length >= count, `${count} controllers are taken in`)
      return accepted.map(({ controllerId }) => controllerId)
    },
    async dial(client: Client, said: { id?: string; version?: string; capabilities?: bigint } = {}): Promise<Channel> {
      const { id = client.id, ...hello } = { version, capabilities: capable, ...said }
      const channel = await dialChannel(
        {
          address: `tls:127.0.0.1:${port}`,
          name: 'test controller',
          plan: controlPlan,
          protocols: ['ziti-ctrl'],
          tls: { ...client, caPem: router.caPem },
          hello: () => ({ id, headers: controlHello.encode('answer', hello).headers }),
          group: { type: 'ctrl.default', desired: {} },
          bind() {},
        },
        surroundings,
      )
      stack.use(channel)
      return channel
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

interface Client {
  readonly id: string
  readonly client: { readonly certPem: string; readonly keyPem: string }
}

async function clientOf(commonName: string, spiffeId?: string, authority = testRoot): Promise<Client> {
  const key = await generatePrivateKey('P-256')
  const { chainPem } = authority.issueClientCertificate({
    subject: { commonName },
    publicKey: publicKeyOf(key),
    ...(spiffeId === undefined ? {} : { spiffeId }),
  })
  return {
    id: commonName,
    client: { certPem: chainPem, keyPem: key.export({ type: 'pkcs8', format: 'pem' }) as string },
  }
}

const c1 = await clientOf('c1', 'spiffe://net/controller/c1')

test(
  'a controller is let in, hears who the router is, and is spoken to as if it had been dialled',
  limits,
  async () => {
    await using set = await setUp()
    const channel = await set.dial(c1)
    assert.equal(channel.peerId, 'r1')
    const said = controlHello.decodeHeaders('hello', channel.first.headers)
    assert.deepEqual(said.ctrlChanListeners?.listeners, [{ address: 'tls:r1:6262', groups: ['default'] }])
    await set.takes(1)
    const [connection] = set.accepted
    assert.deepEqual([connection?.controllerId, connection?.version], ['c1', 'v2.1.0'])
    assert.match(connection!.address, /^tcp:127\.0\.0\.1:\d+$/u)
    assert.equal(set.bound[0], connection)
    const heard = Promise.withResolvers<string | undefined>()
    channel.handleRest(({ contentType }) => heard.resolve(controlMessages.nameOf(contentType)))
    await connection!.send('requestClusterMembers', {})
    assert.equal(await heard.promise, 'requestClusterMembers')
    channel.close()
    await connection!.channel.closed
  },
)

test('a controller goes by the name in its SPIFFE id or by its common name', limits, async () => {
  await using set = await setUp()
  const twice = await clientOf('the second', 'spiffe://net/controller/c2')
  await set.dial(twice, { id: 'c2' })
  await set.dial(twice)
  assert.deepEqual(await set.takes(2), ['c2', 'the second'])
})

test(
  'whoever is not a controller, or another than it says, is refused before anything is answered',
  limits,
  async () => {
    const strangers = await CertificateAuthority.createRoot({ subject: { commonName: 'strangers' } }, { clock: Date })
    await using set = await setUp()
    const cases: readonly (readonly [string, Client, string?])[] = [
      ['a router', await clientOf('c1', 'spiffe://net/router/c1')],
      ['an identity', await clientOf('c1', 'spiffe://net/identity/c1')],
      ['a session', await clientOf('c1', 'spiffe://net/identity/i1/apiSession/c1')],
      ['nobody in particular', await clientOf('c1', 'spiffe://net/controller')],
      ['one without an id', await clientOf('c1')],
      ['one under another name', c1, 'c2'],
      ['one without a name', c1, ''],
      ['a controller of another network', await clientOf('c1', 'spiffe://net/controller/c1', strangers)],
    ]
    for (const [who, client, id] of cases) {
      await assert.rejects(set.dial(client, id === undefined ? {} : { id }), () => true, who)
    }
    assert.deepEqual(set.bound, [])
    await set.dial(c1)
    assert.equal(set.accepted.length, 1)
  },
)

test('a certificate that names nobody is a controller’s if its key is of one that was dialled', limits, async () => {
  await using set = await setUp()
  const known = await testIdentity('c3')
  const other = await testIdentity('c3')
  const facts = { version: 'v2.1.0', capabilities: 0n, address: '', log }
  const dialled = { first: { connection: { certificates: [known.servers[0]!.certificate.der] } } } as unknown as Channel
  set.acceptor.trust.remember(
    new ControllerConnection(
      { ...facts, controllerId: 'c3', channel: dialled },
      { requestTimeout: 1, unresponsiveAfter: 1 },
    ),
  )
  const as = ({ client }: typeof known, id: string): Client => ({ id, client: client! })
  await assert.rejects(set.dial(as(other, 'c3')))
  await assert.rejects(set.dial(as(known, 'c4')))
  await set.dial(as(known, 'c3'))
  assert.deepEqual(await set.takes(1), ['c3'])
})

test('a controller that is too old, says nothing of itself or is not wanted now is refused', limits, async () => {
  await using set = await setUp()
  await assert.rejects(set.dial(c1, { capabilities: 0n }))
  await assert.rejects(set.dial(c1, { version: '' }))
  set.refuse('it is connected')
  await assert.rejects(set.dial(c1))
  assert.deepEqual(set.bound, [])
  set.refuse(undefined)
  set.want(false)
  const channel = await set.dial(c1)
  await channel.closed
  assert.deepEqual(set.accepted, [], 'the answer was given, and then another came first')
  set.want(true)
  await set.dial(c1)
  assert.deepEqual(await set.takes(1), ['c1'])
})

test('a controller cannot pile up channels', limits, async () => {
  await using set = await setUp()
  for (let count = 0; count < 4; count++) await set.dial(c1)
  await assert.rejects(set.dial(c1), { code: 'HELLO_REFUSED' })
  await set.dial(await clientOf('c2', 'spiffe://net/controller/c2'))
})

test('whoever is not a controller cannot keep controllers out', limits, async () => {
  await using set = await setUp()
  const other = await clientOf('i1', 'spiffe://net/identity/i1')
  // More than there are places for hellos, and none of them says anything.
  const silent = await Promise.all(Array.from({ length: 40 }, () => set.connect(other)))
  await set.dial(c1)
  assert.deepEqual(await set.takes(1), ['c1'])
  for (const connection of silent) connection.destroy()
})

test('controllers are accepted over TLS only', limits, async () => {
  const bind = { ...place, protocol: 'wss', text: 'wss:127.0.0.1:0' } as const
  await assert.rejects(setUp({ bind }), { code: 'CTRL_LISTENER' })
})
