import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CertificateAuthority } from '@weft/pki'
import { dial, dialChannel, linkPlan } from '@weft/wire'
import { linkHello } from '@weft/wire/messages'
import { eventually } from '../testing/eventually.ts'
import { type TestRouterLinks, testIdentity, testRouterLinks } from '../testing/test-router-links.ts'

const limits = { timeout: 20_000 }
const linksOf = ({ links }: TestRouterLinks) => [...links.registry.links()]
const statusOf = ({ links }: TestRouterLinks) =>
  [...links.registry.destinations()][0]?.states.values().next().value?.status

/** How many connections of which type there are. */
function connections(router: TestRouterLinks): Readonly<Record<string, number>> {
  const conns = linksOf(router)[0]?.connState().conns ?? []
  const groups = Object.entries(Object.groupBy(conns, ({ type }) => type))
  return Object.fromEntries(groups.map(([type, list]) => [type, list!.length]))
}

test('a link is a group of connections; both ends measure it', limits, async () => {
  const asked: string[] = []
  await using one = await testRouterLinks('r1', { dialer: { maxDefaultConnections: 3, maxAckConnections: 1 } })
  await using other = await testRouterLinks('r2', {
    verifyRouter: async (routerId, fingerprint) => void asked.push(`${routerId} ${fingerprint}`),
  })
  one.hearsOf(other)
  const wanted = { 'link.default': 3, 'link.ack': 1 }
  const isWhole = (router: TestRouterLinks) => JSON.stringify(connections(router)) === JSON.stringify(wanted)
  await eventually(() => linksOf(one).length === 1 && isWhole(one) && isWhole(other), 'all connections are there')
  const [near, far] = [linksOf(one)[0]!, linksOf(other)[0]!]
  assert.deepEqual([near.id, near.facts.isDialed], [far.id, true])
  assert.deepEqual([far.facts.routerId, far.facts.isDialed], ['r1', false])
  assert.equal(near.key, 'default->tls:r2->default')
  assert.equal(far.key, 'default->tls:r1->default')
  assert.deepEqual(asked, [`r1 ${one.identity.client!.certificate.fingerprint}`], 'a controller is asked once')
  const isMeasured = ({ metrics }: TestRouterLinks) =>
    metrics.histogram(`link.${near.id}.latency`).count > 0 && metrics.histogram(`link.${near.id}.queue_time`).count > 0
  await eventually(() => isMeasured(one) && isMeasured(other), 'both have measured')
  const traffic = (router: TestRouterLinks, name: string) => router.metrics.meter(`${name}.msgrate`).count
  const isCounted = (router: TestRouterLinks) =>
    [`link.${near.id}.tx`, `link.${near.id}.rx`, 'fabric.tx', 'fabric.rx'].every((name) => traffic(router, name) > 0)
  await near.payloadChannel.send({ contentType: 1_100, body: Buffer.alloc(1_000) })
  await eventually(() => other.metrics.meter('fabric.rx.bytesrate').count === 1_000, 'what came over it is counted')
  await eventually(() => isCounted(one) && isCounted(other), 'both have counted in both directions')
  assert.equal(other.metrics.histogram(`link.${near.id}.rx.msgsize`).distribution().max, 1_000)
  near.close()
  await far.closed
  await eventually(() => linksOf(other).length === 0, 'the other end has noticed')
  assert.equal(other.metrics.meter('faults.link').count, 1)
})

test('old routers get two connections, or one', limits, async () => {
  for (const [split, kind] of [
    [true, 'split'],
    [false, 'single'],
  ] as const) {
    await using one = await testRouterLinks('r1', { dialer: { split } })
    await using other = await testRouterLinks('r2')
    one.hearsOf(other, 'v1.5.4')
    await eventually(() => linksOf(one).length === 1 && linksOf(other).length === 1, `${kind} at both ends`)
    const wanted = kind === 'split' ? { payload: 1, ack: 1 } : { single: 1 }
    await eventually(() => JSON.stringify(connections(other)) === JSON.stringify(wanted), 'it is read')
    for (const router of [one, other]) {
      assert.equal(linksOf(router)[0]!.channels.kind, kind)
      assert.deepEqual(connections(router), wanted)
    }
    linksOf(one)[0]!.close()
    await eventually(() => linksOf(other).length === 0, 'both halves end together')
  }
})

test('another router than the one that is meant is left alone', limits, async () => {
  await using one = await testRouterLinks('r1')
  await using other = await testRouterLinks('r2')
  one.hearsOf({ routerId: 'r3', port: other.port })
  await eventually(() => statusOf(one) === 'dialFailed', 'the dial has failed')
  assert.deepEqual([linksOf(one).length, linksOf(other).length], [0, 0])
})

test('who is not of the network, or not who it says, does not come in', limits, async () => {
  const foreign = await CertificateAuthority.createRoot({ subject: { commonName: 'other' } }, { clock: Date })
  const asked: string[] = []
  await using other = await testRouterLinks('r2', {
    async verifyRouter(routerId) {
      asked.push(routerId)
      throw new Error('the certificate is not the router’s')
    },
  })
  await using stranger = await testRouterLinks('r1', { identity: await testIdentity('r1', foreign) })
  stranger.hearsOf(other)
  await eventually(() => statusOf(stranger) === 'dialFailed', 'a foreign certificate is refused')
  assert.deepEqual(asked, [], 'and no controller is asked')
  await using liar = await testRouterLinks('r7', { identity: await testIdentity('r1') })
  liar.hearsOf(other)
  await eventually(() => asked.length > 0, 'a controller is asked')
  await eventually(() => linksOf(liar).length === 0, 'the link ends')
  assert.equal(asked[0], 'r7')
  assert.deepEqual(linksOf(other), [])
})

test('a hello that is for another router, or says nothing, is refused', limits, async () => {
  await using other = await testRouterLinks('r2')
  const { client, caPem } = await testIdentity('r1')
  const greet = (fields: Parameters<typeof linkHello.encode<'hello'>>[1], id = 'l1') =>
    dialChannel({
      address: `tls:127.0.0.1:${other.port}`,
      name: 'test',
      plan: linkPlan,
      protocols: ['ziti-link'],
      tls: { client: client!, caPem },
      hello: () => ({ id, headers: linkHello.encode('hello', fields).headers }),
      bind() {},
    })
  await assert.rejects(greet({ routerId: 'r1', dialedRouterId: 'r3' }), { code: 'CONNECTION_LOST' })
  await assert.rejects(greet({ routerId: '' }), { code: 'CONNECTION_LOST' })
  await assert.rejects(greet({ routerId: 'r1' }, ''), { code: 'CONNECTION_LOST' })
  await assert.rejects(greet({ routerId: 'r'.repeat(300) }), { code: 'CONNECTION_LOST' })
  const half = await greet({ routerId: 'r1', half: 3 })
  await half.closed
  await using single = await greet({ routerId: 'r1' })
  await eventually(() => linksOf(other).length === 1, 'a good one is taken')
  assert.equal(single.peerId, 'r2')
})

test('links are accepted over TLS only', limits, async () => {
  await using other = await testRouterLinks('r2')
  assert.equal(other.links.listeners()[0]?.protocol, 'tls')
  await assert.rejects(testRouterLinks('r1', { protocol: 'tcp' }), { code: 'LINK_LISTENER' })
})

test('the options of dialers and listeners are those of their channels', limits, async () => {
  const dialer = { options: { outQueueSize: 7, connectTimeout: 5_000, writeTimeout: 9_000 } }
  await using one = await testRouterLinks('r1', { dialer })
  await using other = await testRouterLinks('r2', { listenerOptions: { writeTimeout: 8_000, outQueueSize: 6 } })
  one.hearsOf(other, 'v1.5.4')
  await eventually(() => linksOf(one).length === 1 && linksOf(other).length === 1, 'a link of the old kind')
  const planOf = (router: TestRouterLinks) => {
    const { queues, writeTimeout } = linksOf(router)[0]!.payloadChannel.plan
    return [writeTimeout, ...queues.map(({ messages }) => messages)]
  }
  assert.deepEqual(
    [planOf(one), planOf(other)],
    [
      [9_000, 7, 7],
      [8_000, 6, 6],
    ],
  )
  await using third = await testRouterLinks('r3', { dialer })
  third.hearsOf(other)
  await eventually(() => linksOf(third).length === 1, 'a link of the new kind')
  assert.deepEqual(planOf(third), [9_000, 64, 128])
})

test('only so many may be between their handshake and the answer to their hello', limits, async () => {
  await using other = await testRouterLinks('r2', {
    listenerOptions: { maxOutstandingConnects: 1, maxQueuedConnects: 1, connectTimeout: 2_000 },
  })
  const { client, caPem } = await testIdentity('r1')
  const silent = () =>
    dial(`tls:127.0.0.1:${other.port}`, { protocols: ['ziti-link'], tls: { client: client!, caPem } })
  const [first, second] = [await silent(), await silent()]
  const third = await silent()
  const closed = [first, second, third].map((connection) => {
    const end = Promise.withResolvers<number>()
    connection.attach({ onData() {}, onDrain() {}, onClose: () => end.resolve(performance.now()) })
    connection.resume()
    return end.promise
  })
  const [one, two, last] = await Promise.all(closed)
  assert.ok(last! < one! && last! < two!, 'the last is turned away while the others still may say hello')
})
