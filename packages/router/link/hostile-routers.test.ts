/**
 * Those who come to the listener for links and lie, flood, stall, stop in the middle, repeat themselves or never answer.
 * Each meets a bound, and meanwhile links of others are made. WEFT_LONG makes crowds larger.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, createServer, type TLSSocket } from 'node:tls'
import type { Identity } from '@weft/pki'
import {
  type Channel,
  channelMessage,
  dialChannel,
  dialUnderlay,
  encodeFrame,
  encodeHello,
  Headers,
  linkPlan,
  type Underlay,
} from '@weft/wire'
import { linkHello } from '@weft/wire/messages'
import { heldBytes } from '@weft/wire/testing/held-bytes.ts'
import { eventually } from '../testing/eventually.ts'
import { type TestRouterLinks, testIdentity, testRouterLinks } from '../testing/test-router-links.ts'
import { testDialer } from '../testing/two-registries.ts'

const limits = { timeout: 60_000 }
const crowd = process.env['WEFT_LONG'] ? 4_000 : 100
/** For a hello, and for an answer to a heartbeat. Milliseconds. */
const helloTimeout = 1_000
const silence = 500
/** Of a busy machine. */
const patience = 10_000
const mostChannels = 64
/** How long a router asks controllers. */
const verification = 10_000
const MEBIBYTE = 1_048_576
/** For those who answer no heartbeat and are not to be given up for it. */
const patient = { sendInterval: 100, checkInterval: 50, closeUnresponsiveTimeout: 60_000 }

const linksOf = ({ links }: TestRouterLinks) => [...links.registry.links()]
const hostile = await testIdentity('hostile')

function listening(options: Parameters<typeof testRouterLinks>[1] = {}): Promise<TestRouterLinks> {
  const heartbeats = { sendInterval: 100, checkInterval: 50, closeUnresponsiveTimeout: silence }
  return testRouterLinks('r1', { listenerOptions: { connectTimeout: helloTimeout }, heartbeats, ...options })
}

/** How another router gets on meanwhile: it has a link in time. */
async function isOpenToOthers(router: TestRouterLinks): Promise<void> {
  await using other = await testRouterLinks('r2')
  const started = performance.now()
  other.hearsOf(router)
  await eventually(() => linksOf(other).length === 1, 'another router has a link')
  assert.ok(performance.now() - started < patience)
}

async function bareSocket({ port }: TestRouterLinks, { client, caPem }: Identity = hostile): Promise<TLSSocket> {
  const socket = connect({
    ...{ host: '127.0.0.1', port, ca: caPem, ALPNProtocols: ['ziti-link'] },
    ...(client && { cert: client.certPem, key: client.keyPem }),
  })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  socket.resume()
  return socket
}

async function millisecondsUntilClosed(socket: TLSSocket): Promise<number> {
  const started = performance.now()
  if (!socket.destroyed) await once(socket, 'close')
  return performance.now() - started
}

function dial({ port }: TestRouterLinks, linkId: string, fields: Parameters<typeof linkHello.encode<'hello'>>[1]) {
  return dialChannel({
    address: `tls:127.0.0.1:${port}`,
    name: 'hostile',
    plan: { ...linkPlan, heartbeats: { sendInterval: 60_000, checkInterval: 1_000, closeAfter: 60_000, grace: 0 } },
    protocols: ['ziti-link'],
    tls: { client: hostile.client!, caPem: hostile.caPem },
    hello: () => ({ id: linkId, headers: linkHello.encode('hello', fields).headers }),
    bind: (channel) => channel.handleRest(() => {}),
  })
}

function frame(contentType: number, body: number): Buffer {
  return encodeFrame(contentType, new Headers(), Buffer.alloc(body), 7)
}

test(
  'who says half of a hello, or nothing, is cut off in time; so is who says something else, at once',
  limits,
  async () => {
    await using router = await listening()
    const hello = encodeHello({ id: 'l1', headers: linkHello.encode('hello', { routerId: 'hostile' }).headers })
    const stalled = await Promise.all(Array.from({ length: 20 }, () => bareSocket(router)))
    for (const [at, socket] of stalled.entries()) socket.write(hello.subarray(0, at * 3))
    await isOpenToOthers(router)
    for (const took of await Promise.all(stalled.map(millisecondsUntilClosed)))
      assert.ok(took < helloTimeout + patience)
    const tooLong = Buffer.from(hello)
    tooLong.writeUInt32LE(0x7fff_ffff, 16)
    for (const words of [tooLong, Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(4_000, 0xff)]) {
      const socket = await bareSocket(router)
      socket.write(words)
      assert.ok((await millisecondsUntilClosed(socket)) < patience)
    }
    assert.deepEqual(linksOf(router), [])
  },
)

test(
  'one certificate has so many channels, under however many names, and no more wait for a controller',
  limits,
  async () => {
    let [asking, most] = [0, 0]
    const answered = Promise.withResolvers<void>()
    await using router = await listening({
      async verifyRouter(routerId) {
        if (routerId === 'r2') return
        most = Math.max(most, ++asking)
        await Promise.race([answered.promise, sleep(verification)])
        asking--
        throw new Error('there is no such router')
      },
    })
    const channels: Channel[] = []
    for (let nth = 0; nth < crowd; nth += 50) {
      const dials = Array.from({ length: 50 }, (_, at) =>
        dial(router, `l${nth + at}`, { routerId: `name-${nth + at}` }),
      )
      for (const dialled of await Promise.allSettled(dials)) {
        if (dialled.status === 'fulfilled') channels.push(dialled.value)
      }
    }
    await isOpenToOthers(router)
    assert.ok(most <= mostChannels && most > mostChannels / 2, `${most} channels`)
    answered.resolve()
    await Promise.all(channels.map(({ closed }) => closed))
    await eventually(() => asking === 0 && linksOf(router).length === 0, 'nobody waits, and there is no link')
  },
)

test('a controller that never answers who they are costs them their channels', limits, async () => {
  await using router = await listening({
    verifyRouter: () => sleep(300).then(() => Promise.reject(new Error('late'))),
  })
  const channel = await dial(router, 'l1', { routerId: 'hostile' })
  await channel.closed
  assert.deepEqual(linksOf(router), [])
})

test('a channel has so many connections of a type', limits, async () => {
  await using router = await listening({ listenerOptions: { connectTimeout: patience }, heartbeats: patient })
  const join = (place: { readonly connectionId?: string; readonly secret?: Buffer }) =>
    dialUnderlay({
      address: `tls:127.0.0.1:${router.port}`,
      protocols: ['ziti-link'],
      tls: { client: hostile.client!, caPem: hostile.caPem },
      hello: {
        ...{ id: 'l1', type: 'link.default', group: { isFirst: place.secret === undefined, ...place } },
        headers: linkHello.encode('hello', { routerId: 'hostile' }).headers,
      },
    })
  const { secret, connectionId, connection } = await join({})
  const joins: PromiseSettledResult<Underlay>[] = []
  for (let nth = 0; nth < 120; nth += 20) {
    const some = Array.from({ length: 20 }, () => join({ secret: secret!, connectionId }))
    joins.push(...(await Promise.allSettled(some)))
  }
  const joined = joins.flatMap((each) => (each.status === 'fulfilled' ? [each.value.connection] : []))
  assert.equal(joined.length + 1, linkPlan.underlays['link.default']!.max)
  await isOpenToOthers(router)
  for (const each of [connection, ...joined]) each.destroy()
  await eventually(() => linksOf(router).length === 0, 'the link has ended')
})

test('a link whose other end falls silent ends, in the middle of a message too', limits, async () => {
  await using router = await listening()
  for (const words of [Buffer.alloc(0), frame(60_785, 900).subarray(0, 30)]) {
    const channel = await dial(router, 'l1', { routerId: 'hostile' })
    await eventually(() => linksOf(router).length === 1, 'there is a link')
    // At the start there is grace; after the first answer there is none.
    await sleep(500)
    channel.pauseReading()
    channel.underlays[0]!.connection.write(words)
    const started = performance.now()
    await eventually(() => linksOf(router).length === 0, 'the link has ended')
    assert.ok(performance.now() - started < silence + patience)
    channel.close()
  }
})

test('who asks without end and reads nothing is not read from any more', limits, async () => {
  await using router = await listening({ heartbeats: patient })
  const channel = await dial(router, 'l1', { routerId: 'hostile' })
  await eventually(() => linksOf(router).length === 1, 'there is a link')
  channel.pauseReading()
  const { connection } = channel.underlays[0]!
  const before = heldBytes()
  const ping = Buffer.concat(Array.from({ length: 1_000 }, () => frame(channelMessage.ping, 100)))
  // Until nothing more is taken.
  for (let nth = 0; nth < 500; nth++) if (!connection.write(ping)) break
  await isOpenToOthers(router)
  const grown = heldBytes() - before
  assert.ok(grown < 64 * MEBIBYTE, `${(grown / MEBIBYTE).toFixed(1)} MiB`)
  connection.destroy()
  await eventually(() => linksOf(router).length === 0, 'the link has ended')
})

test('messages that nobody has asked for are passed over, and a bad one ends the link', limits, async () => {
  await using router = await listening()
  const channel = await dial(router, 'l1', { routerId: 'hostile' })
  await eventually(() => linksOf(router).length === 1, 'there is a link')
  for (let nth = 0; nth < 5_000; nth++)
    await channel.send({ contentType: 60_000 + (nth % 1_000), body: Buffer.alloc(50) })
  await eventually(() => linksOf(router)[0]!.payloadChannel.counters.receivedMessages >= 5_000, 'all are read')
  assert.equal(linksOf(router).length, 1)
  channel.underlays[0]!.connection.write(Buffer.alloc(100, 0xff))
  await eventually(() => linksOf(router).length === 0, 'the link has ended')
})

test('what is repeated is not taken: a place in a group that has ended, the id of another’s link', limits, async () => {
  await using router = await listening()
  await using other = await testRouterLinks('r2')
  other.hearsOf(router)
  await eventually(() => linksOf(router).length === 1, 'another router has a link')
  const [stolen] = linksOf(router)
  await using thief = await dial(router, stolen!.id, { routerId: 'hostile' })
  await sleep(200)
  assert.deepEqual(linksOf(router), [stolen])
  assert.equal(router.links.registry.get(stolen!.id), stolen)
  assert.equal(thief.isClosed, false, 'it is left alone until it is closed')
  const { secret, connectionId } = linksOf(other)[0]!.payloadChannel.first
  const join = dialUnderlay({
    address: `tls:127.0.0.1:${router.port}`,
    protocols: ['ziti-link'],
    tls: { client: hostile.client!, caPem: hostile.caPem },
    hello: {
      ...{ id: stolen!.id, type: 'link.default', group: { isFirst: false, secret: secret!, connectionId } },
      headers: linkHello.encode('hello', { routerId: 'r2' }).headers,
    },
  })
  await assert.rejects(join, 'with another certificate the secret is worth nothing')
})

test(
  'a router that is dialled and says nothing, half of an answer or something else costs a dial of bounded time',
  limits,
  async () => {
    const { servers, caPem } = await testIdentity('mute')
    const taken: TLSSocket[] = []
    for (const words of [Buffer.alloc(0), frame(channelMessage.result, 50).subarray(0, 25), Buffer.alloc(999, 0xff)]) {
      const [own] = servers
      const server = createServer({
        cert: own!.certPem,
        key: own!.keyPem,
        ca: caPem,
        requestCert: true,
        ALPNProtocols: ['ziti-link'],
      })
      server.on('secureConnection', (socket) => {
        taken.push(socket.on('error', () => {}))
        socket.write(words)
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      {
        await using router = await listening({ dialer: { options: { ...testDialer.options, connectTimeout: 300 } } })
        router.hearsOf({ routerId: 'mute', port: (server.address() as AddressInfo).port })
        const state = () => [...router.links.registry.destinations()][0]!.states.values().next().value!
        await eventually(() => state().iteration >= 3, 'it is dialled again')
        assert.deepEqual(linksOf(router), [])
        await isOpenToOthers(router)
      }
      for (const socket of taken.splice(0)) socket.destroy()
      server.close()
    }
  },
)
