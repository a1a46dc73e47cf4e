import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel } from '../channel/channel.ts'
import { type ChannelPlan, controlPlan, linkPlan } from '../channel/channel-plan.ts'
import { Headers } from '../frame/headers.ts'
import { encodeFrame } from '../frame/message.ts'
import { greet } from '../hello/greet.ts'
import { encodeHello, type HelloContent } from '../hello/hello.ts'
import { encodeVersionAnswer } from '../hello/version-answer.ts'
import { eventually } from '../testing/eventually.ts'
import { memoryPair } from '../testing/memory-pair.ts'
import { SeededRandom } from '../testing/seeded-random.ts'
import { ChannelAcceptor, type ChannelAcceptorOptions, HelloRefusal } from './channel-acceptor.ts'

const patience = { timeoutMilliseconds: 5_000 }
const first: HelloContent = { id: 'router1', type: 'ctrl.default', group: { isFirst: true } }

function acceptorFor(options: Partial<ChannelAcceptorOptions> = {}, plan: ChannelPlan = controlPlan) {
  const bound: Channel[] = []
  const acceptor = new ChannelAcceptor({
    id: 'ctrl1',
    admit: (hello) => ({
      identity: hello.connection.fingerprint!,
      name: hello.id,
      plan,
      headers: new Headers().set(1002, 'capable'),
      bind: (channel) => void bound.push(channel),
    }),
    ...options,
  })
  const call = (hello: HelloContent, certificate?: string) => {
    const { near, far } = memoryPair(certificate)
    acceptor.accept(far)
    return greet(near, hello, patience)
  }
  return { acceptor, bound, call }
}

/** Sends bytes and gives back what came before the end. */
async function answerTo(acceptor: ChannelAcceptor, bytes: Buffer): Promise<string> {
  const { near, far } = memoryPair()
  acceptor.accept(far)
  const chunks: Buffer[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  near.attach({ onData: (chunk) => void chunks.push(chunk), onDrain() {}, onClose: () => resolve() })
  near.resume()
  near.write(bytes)
  await promise
  return Buffer.concat(chunks).toString('hex')
}

test('a hello is answered with the facts of the connection', async () => {
  const { acceptor, bound, call } = acceptorFor()
  await using _ = acceptor
  const underlay = await call(first)
  assert.equal(underlay.peerId, 'ctrl1')
  assert.equal(underlay.headers.text(1002), 'capable')
  assert.equal(underlay.headers.text(7), 'ctrl.default')
  assert.equal(underlay.headers.flag(9), true)
  assert.equal(underlay.secret?.length, 16)
  assert.ok(underlay.connectionId.length >= 4)
  assert.equal(bound[0]?.peerId, 'router1')
  assert.equal(bound[0]?.id, underlay.connectionId)
})

test('a connection that is no group gets no secret', async () => {
  const { acceptor, bound, call } = acceptorFor()
  await using _ = acceptor
  const underlay = await call({ id: 'router1', headers: new Headers().set(0, 'old id') })
  assert.equal(underlay.secret, undefined)
  assert.equal(underlay.headers.has(10), false)
  assert.notEqual(underlay.connectionId, 'old id')
  assert.equal(bound.length, 1)
})

test('messages behind the hello are not lost', async () => {
  const seen: number[] = []
  const { acceptor } = acceptorFor({
    admit: () => ({
      identity: 'i',
      name: 'n',
      plan: controlPlan,
      async bind(channel) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        channel.handle(7_000, ({ sequence }) => void seen.push(sequence))
      },
    }),
  })
  await using _ = acceptor
  const { near, far } = memoryPair()
  acceptor.accept(far)
  const message = (sequence: number) => encodeFrame(7_000, new Headers(), Buffer.alloc(9), sequence)
  near.write(Buffer.concat([encodeHello(first), message(1), message(2).subarray(0, 25)]))
  await new Promise((resolve) => setImmediate(resolve))
  near.write(message(2).subarray(25))
  await eventually(() => seen.length === 2, 'both are handled')
  assert.deepEqual(seen, [1, 2])
})

test('further connections join their group with its secret', async () => {
  const { acceptor, bound, call } = acceptorFor()
  await using _ = acceptor
  const { connectionId, secret } = await call(first)
  const more = await call({ ...first, type: 'ctrl.high', group: { isFirst: false, connectionId, secret: secret! } })
  assert.deepEqual(more.secret, secret)
  assert.equal(bound.length, 1)
  await eventually(() => bound[0]!.underlays.length === 2, 'both are in the channel')
  assert.deepEqual(
    bound[0]!.underlays.map(({ type }) => type),
    ['ctrl.default', 'ctrl.high'],
  )
})

test('after a loss the dialer brings its old secret, and gets it back', async () => {
  const { acceptor, bound, call } = acceptorFor()
  await using _ = acceptor
  const secret = Buffer.alloc(16, 7)
  const again = await call({ ...first, type: 'ctrl.high', group: { isFirst: true, connectionId: 'Kq7e-2', secret } })
  assert.deepEqual(again.secret, secret)
  assert.equal(again.connectionId, 'Kq7e-2')
  await call({ ...first, group: { isFirst: false, connectionId: 'Kq7e-2', secret } })
  assert.equal(bound.length, 1)
})

test('nobody joins a group without the secret, under another id or as somebody else', async () => {
  const { acceptor, bound, call } = acceptorFor()
  await using _ = acceptor
  const { connectionId, secret } = await call(first)
  const refused = { code: 'HELLO_REFUSED', reason: 'not permitted' }
  const join = (more: Partial<HelloContent['group']>, id = 'router1', certificate?: string) =>
    call({ ...first, id, group: { isFirst: false, connectionId, ...more } }, certificate)
  await assert.rejects(join({}), refused)
  await assert.rejects(join({ secret: Buffer.alloc(16) }), refused)
  await assert.rejects(join({ secret: Buffer.alloc(17) }), refused)
  await assert.rejects(join({ secret: secret! }, 'router2'), refused)
  await assert.rejects(join({ secret: secret! }, 'router1', 'another leaf'), { code: 'CONNECTION_LOST' })
  await assert.rejects(join({ secret: secret!, connectionId: 'unknown' }), { code: 'CONNECTION_LOST' })
  assert.equal(bound[0]!.underlays.length, 1)
})

test('the same id in the hands of another identity is another group', async () => {
  const { acceptor, bound, call } = acceptorFor()
  await using _ = acceptor
  const group = { isFirst: true, connectionId: 'wanted' }
  const [one, other] = await Promise.all([call({ ...first, group }), call({ ...first, group }, 'another leaf')])
  assert.notDeepEqual(one.secret, other.secret)
  assert.equal(bound.length, 2)
})

test('a connection that comes while its group is being made waits for it', async () => {
  const { acceptor, call } = acceptorFor({
    admit: () => ({
      identity: 'i',
      name: 'n',
      plan: controlPlan,
      bind: () => new Promise((resolve) => setTimeout(resolve, 50)),
    }),
  })
  await using _ = acceptor
  const { connectionId, secret } = await call(first)
  await call({ ...first, type: 'ctrl.high', group: { isFirst: false, connectionId, secret: secret! } })
  assert.equal([...acceptor.channels].length, 1)
  assert.equal([...acceptor.channels][0]!.underlays.length, 2)
})

test('a channel that is not bound ends after the answer, and its id is free again', async () => {
  let isWilling = false
  const { acceptor, call } = acceptorFor({
    admit: () => ({
      identity: 'i',
      name: 'n',
      plan: controlPlan,
      async bind() {
        if (!isWilling) throw new Error('no')
      },
    }),
  })
  await using _ = acceptor
  const group = { isFirst: true, connectionId: 'mine' }
  const underlay = await call({ ...first, group })
  const { promise, resolve } = Promise.withResolvers<void>()
  underlay.connection.attach({ onData() {}, onDrain() {}, onClose: () => resolve() })
  underlay.connection.resume()
  await promise
  isWilling = true
  await call({ ...first, group })
  assert.equal(acceptor.channels.size, 1)
})

test('refusals are told with their class, or not at all', async () => {
  const refusals = [new HelloRefusal('too many', 'busy'), new HelloRefusal('unknown router'), new Error('a bug')]
  const { acceptor, call } = acceptorFor({
    admit: () => {
      throw refusals.shift()
    },
  })
  await using _ = acceptor
  await assert.rejects(call(first), { code: 'HELLO_REFUSED', reason: 'busy' })
  await assert.rejects(call(first), { code: 'CONNECTION_LOST' })
  await assert.rejects(call(first), { code: 'CONNECTION_LOST' })
  assert.equal(acceptor.pending, 0)
})

test('a peer of another version is told ours; anything else that is no hello ends without a word', async () => {
  const { acceptor } = acceptorFor()
  await using _ = acceptor
  const version = encodeVersionAnswer().toString('hex')
  assert.equal(await answerTo(acceptor, Buffer.from('0306090d', 'hex')), version)
  assert.equal(await answerTo(acceptor, Buffer.from('GET / HTTP/1.1\r\n\r\n')), version)
  const silent = [
    encodeFrame(1, new Headers(), Buffer.alloc(0), 1),
    encodeHello({ id: 'x'.repeat(4_193) }),
    encodeHello({ id: 'x', headers: new Headers().set(1000, 'x'.repeat(16_400)) }),
    encodeHello({ id: 'x', group: { isFirst: false } }),
    encodeHello({ id: 'x', group: { isFirst: true, secret: Buffer.alloc(3) } }),
  ]
  for (const bytes of silent) assert.equal(await answerTo(acceptor, bytes), '')
  const malformed = encodeHello({ id: 'x', headers: new Headers().set(1000, 'abc') })
  malformed.writeUInt32LE(200, 24)
  assert.equal(await answerTo(acceptor, malformed), '')
})

test('a silent peer, and a judge that never decides, cost a connection for a bounded time', async () => {
  const { acceptor } = acceptorFor({ helloTimeout: 30, admit: () => new Promise(() => {}) })
  await using _ = acceptor
  assert.equal(await answerTo(acceptor, Buffer.alloc(0)), '')
  assert.equal(await answerTo(acceptor, encodeHello(first).subarray(0, 30)), '')
  assert.equal(await answerTo(acceptor, encodeHello(first)), '')
  await eventually(() => acceptor.pending === 0, 'nothing is left')
})

test('connections without a hello are bounded in number', async () => {
  const { acceptor, call } = acceptorFor({ maxHellos: 5 })
  await using _ = acceptor
  const silent = Array.from({ length: 5 }, () => memoryPair())
  for (const { far } of silent) acceptor.accept(far)
  const { near, far } = memoryPair()
  acceptor.accept(far)
  await assert.rejects(greet(near, first, patience), { code: 'CONNECTION_LOST' })
  assert.equal(acceptor.pending, 5)
  for (const { near: silentEnd } of silent) silentEnd.destroy()
  await eventually(() => acceptor.pending === 0, 'the silent ones are gone')
  await call(first)
})

test('connections without a hello are bounded for each host', async () => {
  const { acceptor } = acceptorFor({ maxHellosPerSource: 2 })
  await using _ = acceptor
  const pairs = Array.from({ length: 3 }, () => memoryPair())
  for (const { far } of pairs) acceptor.accept(far)
  assert.equal(acceptor.pending, 2)
  assert.equal(pairs[2]!.far.isClosed, true)
})

test('channels of one identity are bounded in number', async () => {
  const { acceptor, call } = acceptorFor({ maxChannelsPerIdentity: 3 })
  await using _ = acceptor
  for (let count = 0; count < 3; count++) await call(first)
  await assert.rejects(call(first), { code: 'HELLO_REFUSED', reason: 'busy' })
  await call(first, 'another leaf')
  const [oldest] = acceptor.channels
  oldest!.close()
  await oldest!.closed
  await call(first)
})

test('connections of one type in a group are bounded in number', async () => {
  const { acceptor, call } = acceptorFor(
    {},
    { ...linkPlan, underlays: { 'link.default': { drains: ['payload'], min: 1, max: 2 } } },
  )
  await using _ = acceptor
  const { connectionId, secret } = await call({ ...first, type: 'link.default' })
  const group = { isFirst: false, connectionId, secret: secret! }
  await call({ ...first, type: 'link.default', group })
  const busy = { code: 'HELLO_REFUSED', reason: 'busy' }
  await assert.rejects(call({ ...first, type: 'link.default', group }), busy)
})

test('the C SDK, which numbers its hello 1, is answered under that number', async () => {
  const { acceptor } = acceptorFor()
  await using _ = acceptor
  const { near, far } = memoryPair()
  acceptor.accept(far)
  const hello = encodeHello({ id: 'ziti-sdk-c[0]@host1', type: 'edge.default', group: { isFirst: true } })
  hello.writeInt32LE(1, 8)
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  near.attach({ onData: resolve, onDrain() {}, onClose() {} })
  near.resume()
  near.write(hello)
  const answer = await promise
  assert.ok(answer.includes(Buffer.from('010000000400000001000000', 'hex')))
})

test('random bytes leave nothing behind', async () => {
  const random = new SeededRandom(41)
  const { acceptor } = acceptorFor({ helloTimeout: 200, maxHellos: 1_000 })
  await using _ = acceptor
  const good = encodeHello(first)
  const ends: Promise<void>[] = []
  for (let round = 0; round < 300; round++) {
    const { near, far } = memoryPair()
    acceptor.accept(far)
    const bytes = round % 3 === 0 ? random.bytes(random.below(60)) : Buffer.from(good)
    if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256)
    near.write(bytes.subarray(0, random.below(bytes.length + 1)))
    ends.push(new Promise((resolve) => setImmediate(() => resolve())))
  }
  await Promise.all(ends)
  await eventually(() => acceptor.pending === 0, 'all hellos are decided')
})
