import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelHeader, channelMessage, readResult } from '../frame/channel-headers.ts'
import { Headers } from '../frame/headers.ts'
import { findHeader } from '../frame/layout.ts'
import { encodeFrame } from '../frame/message.ts'
import { ProtocolError } from '../frame/protocol-error.ts'
import { channelPair } from '../testing/channel-pair.ts'
import { eventually } from '../testing/eventually.ts'
import { SeededRandom } from '../testing/seeded-random.ts'
import type { Channel } from './channel.ts'
import { type ChannelPlan, singlePlan } from './channel-plan.ts'

const echo = 7_000
const note = 7_001

function echoing(_here: Channel, there: Channel): void {
  there.handle(echo, (message) => there.reply(message, { contentType: echo, body: message.body }))
}

test('requests meet their replies, many at a time and in any order', async () => {
  await using pair = channelPair({
    bind: (_, there) => {
      there.handle(echo, async (message) => {
        await new Promise((resolve) => setTimeout(resolve, message.body[0]! % 7))
        await there.reply(message, { contentType: echo, body: message.body })
      })
    },
  })
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) => pair.here.request({ contentType: echo, body: Buffer.from([index]) })),
  )
  assert.deepEqual(
    replies.map(({ body }) => body[0]),
    Array.from({ length: 200 }, (_, index) => index),
  )
})

test('bodies of every size arrive as they were', async () => {
  await using pair = channelPair({ bind: echoing })
  for (const size of [0, 1, 4_095, 4_096, 4_097, 65_535, 100_000, 3_000_000]) {
    const body = Buffer.alloc(size, size % 251)
    const reply = await pair.here.request({ contentType: echo, body })
    assert.ok(reply.body.equals(body), `${size} bytes`)
  }
})

test('a request that nobody answers ends in time', async () => {
  await using pair = channelPair({ bind: (_, there) => there.handle(echo, () => {}) })
  await assert.rejects(pair.here.request({ contentType: echo }, { timeoutMilliseconds: 20 }), { code: 'TIMEOUT' })
})

test('a request ends with its signal', async () => {
  await using pair = channelPair({ bind: (_, there) => there.handle(echo, () => {}) })
  const abort = new AbortController()
  const reply = pair.here.request({ contentType: echo }, { signal: abort.signal })
  abort.abort(new Error('enough'))
  await assert.rejects(reply, { message: 'enough' })
  await assert.rejects(pair.here.request({ contentType: echo }, { signal: abort.signal }), { message: 'enough' })
})

test('requests that wait are bounded in number', async () => {
  await using pair = channelPair({ maxRequests: 3, bind: (_, there) => there.handle(echo, () => {}) })
  const waiting = Array.from({ length: 3 }, () =>
    pair.here.request({ contentType: echo }, { timeoutMilliseconds: 1_000 }),
  )
  const settled = Promise.allSettled(waiting)
  await assert.rejects(pair.here.request({ contentType: echo }), { code: 'TOO_MANY_REQUESTS' })
  const given = pair.here.request({ contentType: echo }, { signal: AbortSignal.abort(new Error('given up')) })
  await assert.rejects(given, { message: 'given up' })
  assert.ok((await settled).every(({ status }) => status === 'rejected'))
  assert.equal(pair.there.counters.receivedMessages, 3)
})

test('a reply that nobody waits for goes to the handler of its type', async () => {
  const seen: number[] = []
  await using pair = channelPair({
    bind: (_, there) => there.handle(note, ({ headers }) => void seen.push(headers.int32(1)!)),
  })
  await pair.here.send({ contentType: note, headers: new Headers().setInt32(channelHeader.replyFor, 99) })
  await eventually(() => seen.length === 1, 'the reply is handled')
  assert.deepEqual(seen, [99])
})

test('a reply-for of the wrong length is not taken for a reply, and never sent', async () => {
  const seen: string[] = []
  await using pair = channelPair({
    bind: (_, there) => there.handle(note, ({ body }) => void seen.push(body.toString())),
  })
  pair.near.write(encodeFrame(note, new Headers().set(channelHeader.replyFor, 'abc'), Buffer.from('x'), 1))
  await eventually(() => seen.length === 1, 'the message is handled')
  const bad = { contentType: note, headers: new Headers().set(channelHeader.replyFor, 'abc') }
  await assert.rejects(pair.here.send(bad), ProtocolError)
  assert.throws(() => pair.here.trySend(bad), ProtocolError)
})

test('pings and latency probes are answered without being asked to', async () => {
  await using pair = channelPair()
  assert.equal(readResult(await pair.here.request({ contentType: channelMessage.ping })).isSuccess, true)
  const time = Buffer.from('0000f7db5709d118', 'hex')
  const probe = { contentType: channelMessage.latency, headers: new Headers().set(channelHeader.reflected, time) }
  const answer = await pair.here.request(probe)
  assert.equal(readResult(answer).isSuccess, true)
  assert.deepEqual(answer.headers.get(channelHeader.reflected), time)
})

test('unknown types are counted and harm nobody', async () => {
  await using pair = channelPair({ bind: echoing })
  for (let type = 100; type < 110; type++) pair.here.trySend({ contentType: type })
  pair.here.trySend({ contentType: -33 })
  await pair.here.request({ contentType: echo })
  assert.equal(pair.there.counters.unhandledMessages, 11)
  const rest: number[] = []
  pair.there.handleRest(({ contentType }) => void rest.push(contentType))
  pair.here.trySend({ contentType: 555 })
  await eventually(() => rest.length === 1, 'the rest is handled')
})

test('a handler that fails is reported, and the next message is handled', async () => {
  const reports: string[] = []
  const log = {
    debug() {},
    info() {},
    warn: (message: string) => void reports.push(message),
    error: (message: string) => void reports.push(message),
  }
  await using pair = channelPair({
    deps: { log },
    bind: (here, there) => {
      echoing(here, there)
      there.handle(1, () => {
        throw new Error('bug')
      })
      there.handle(2, () => Promise.reject(new Error('late bug')))
      there.handle(6, () => {
        throw new ProtocolError('BAD_MESSAGE')
      })
      there.handleFrames(7, () => {
        throw new Error('bug in a hot place')
      })
    },
  })
  for (const contentType of [1, 2, 6, 7]) pair.here.trySend({ contentType })
  await pair.here.request({ contentType: echo })
  await eventually(() => reports.length === 4, 'all are reported')
  assert.equal(reports.filter((report) => report === 'message could not be handled').length, 1)
})

test('frames are handed out in place, and sent as they are', async () => {
  const bodies: string[] = []
  await using pair = channelPair({
    bind: (here, there) => {
      const queue = there.queue('default')
      there.handleFrames(note, (buffer, start, end) => {
        assert.ok(findHeader(buffer, start, 2256) > 0)
        assert.equal(there.trySendFrame(queue, buffer, start, end), true)
      })
      here.handle(note, ({ body }) => void bodies.push(body.toString()))
    },
  })
  for (let count = 0; count < 50; count++) {
    pair.here.trySend({ contentType: note, headers: new Headers().set(2256, 'c'), body: Buffer.from(`${count}`) })
  }
  await eventually(() => bodies.length === 50, 'all came back')
  assert.deepEqual(
    bodies,
    Array.from({ length: 50 }, (_, count) => `${count}`),
  )
})

test('everything queued in one turn goes out in one write', async () => {
  await using pair = channelPair()
  const chunks: number[] = []
  pair.far.attach({ onData: (chunk) => void chunks.push(chunk.length), onDrain() {}, onClose() {} })
  for (let count = 0; count < 30; count++) pair.here.trySend({ contentType: note, body: Buffer.alloc(10) })
  await eventually(() => chunks.length > 0, 'something was written')
  assert.deepEqual(chunks, [30 * 30])
})

const narrow: ChannelPlan = { ...singlePlan, queues: [{ name: 'default', messages: 4, bytes: 1_000_000 }] }

test('a peer that does not read fills a queue of known size, and senders wait or are refused', async () => {
  await using pair = channelPair({ plan: narrow, maxWaiting: 2 })
  pair.there.pauseReading()
  const body = Buffer.alloc(40_000)
  let queued = 0
  while (pair.here.trySend({ contentType: note, body }) || queued === 0) {
    queued++
    await new Promise((resolve) => setImmediate(resolve))
    assert.ok(queued < 50, 'the queue has no bound')
  }
  assert.equal(pair.here.queue('default').length, 4)
  const late = pair.here.send({ contentType: note, body }, { timeoutMilliseconds: 30 })
  const patient = pair.here.send({ contentType: note, body })
  await assert.rejects(pair.here.send({ contentType: note, body }), { code: 'QUEUE_FULL' })
  await assert.rejects(late, { code: 'SEND_TIMEOUT' })
  pair.there.resumeReading()
  await patient
  await eventually(() => pair.there.counters.receivedMessages === queued + 1, 'all that was queued arrived')
})

test('no more bytes wait for room than the queue has, but one message of any size does', async () => {
  await using pair = channelPair({ plan: narrow })
  pair.there.pauseReading()
  const body = Buffer.alloc(400_000)
  while (pair.here.trySend({ contentType: note, body })) await new Promise((resolve) => setImmediate(resolve))
  const large = pair.here.send({ contentType: note, body: Buffer.alloc(1_500_000) })
  await assert.rejects(pair.here.send({ contentType: note, body: Buffer.alloc(10) }), { code: 'QUEUE_FULL' })
  pair.there.resumeReading()
  await large
  pair.there.pauseReading()
  while (pair.here.trySend({ contentType: note, body })) await new Promise((resolve) => setImmediate(resolve))
  const fitting = [pair.here.send({ contentType: note, body }), pair.here.send({ contentType: note, body })]
  await assert.rejects(pair.here.send({ contentType: note, body }), { code: 'QUEUE_FULL' })
  pair.there.resumeReading()
  await Promise.all(fitting)
})

test('a message that waited too long in its queue is left out', async () => {
  await using pair = channelPair({ plan: narrow })
  const seen: number[] = []
  pair.there.handle(note, ({ body }) => void seen.push(body[0]!))
  pair.there.pauseReading()
  while (pair.here.trySend({ contentType: note, body: Buffer.alloc(40_000, 1) })) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  const stale = pair.here.request({ contentType: note, body: Buffer.from([2]) }, { timeoutMilliseconds: 20 })
  await assert.rejects(stale)
  await new Promise((resolve) => setTimeout(resolve, 20))
  pair.there.resumeReading()
  await pair.here.send({ contentType: note, body: Buffer.from([3]) })
  await eventually(() => seen.includes(3), 'the channel works again')
  assert.equal(seen.includes(2), false)
})

test('handlers that do not finish stop the reading of their connection', async () => {
  const done: (() => void)[] = []
  await using pair = channelPair({
    bind: (_, there) => there.handle(note, () => new Promise<void>((resolve) => done.push(resolve))),
  })
  let sent = 0
  for (let refusals = 0; refusals < 20; ) {
    if (pair.here.trySend({ contentType: note, body: Buffer.alloc(2_000) })) {
      sent++
      refusals = 0
    } else {
      refusals++
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  assert.equal(done.length, 64)
  assert.ok(sent > 64 && sent < 1_000, `${sent} were taken`)
  while (done.length < sent) {
    for (const finish of done) finish()
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(pair.there.counters.receivedMessages, sent)
})

test('whoever waits learns that the channel is closed', async () => {
  await using pair = channelPair({ plan: narrow, bind: (_, there) => there.handle(echo, () => {}) })
  const request = pair.here.request({ contentType: echo })
  const outcome = assert.rejects(request, { code: 'CLOSED' })
  pair.there.close()
  const { reason } = await pair.here.closed
  assert.equal(reason, 'connection lost')
  await outcome
  await assert.rejects(pair.here.send({ contentType: note }), { code: 'CLOSED' })
  await assert.rejects(pair.here.request({ contentType: note }), { code: 'CLOSED' })
  assert.equal(pair.here.trySend({ contentType: note }), false)
  assert.equal(await pair.here.measureQueueTime('default'), undefined)
  pair.here.close()
  assert.equal((await pair.there.closed).reason, 'closed here')
})

test('a peer that breaks the protocol loses its connection', async () => {
  for (const bytes of [
    '00112233',
    '0306090c0100000001000000ffffffff00000000',
    '0306090c01000000010000000400000000000000abcdabcd',
  ]) {
    await using pair = channelPair()
    pair.near.write(Buffer.from(bytes, 'hex'))
    const { reason, error } = await pair.there.closed
    assert.equal(reason, 'protocol error')
    assert.ok(error instanceof ProtocolError)
  }
})

test('random and mutated frames close the channel or are ignored', async () => {
  const random = new SeededRandom(99)
  const frame = encodeFrame(echo, new Headers().set(128, 'abcdefgh').setInt32(5, 1), Buffer.alloc(30), 3)
  for (let round = 0; round < 200; round++) {
    await using pair = channelPair({ bind: echoing })
    const bytes = round % 2 === 0 ? random.bytes(1 + random.below(100)) : Buffer.concat([frame, frame])
    bytes[random.below(bytes.length)] = random.below(256)
    pair.near.write(bytes)
    await new Promise((resolve) => setImmediate(resolve))
  }
})

test('a message the peer would not take is refused before it is queued', async () => {
  await using pair = channelPair({ plan: { ...singlePlan, limits: { headers: 100, body: 1_000 } } })
  await assert.rejects(pair.here.send({ contentType: note, body: Buffer.alloc(1_001) }), { code: 'MESSAGE_TOO_LARGE' })
  await assert.rejects(pair.here.send({ contentType: note }, { queue: 'none' }), { code: 'NO_SUCH_QUEUE' })
})

test('a connection that takes nothing is given up', async () => {
  const plan = { ...narrow, writeTimeout: 50 }
  await using pair = channelPair({ plan })
  pair.there.pauseReading()
  for (let count = 0; count < 10; count++) pair.here.trySend({ contentType: note, body: Buffer.alloc(60_000) })
  const { reason } = await pair.here.closed
  assert.equal(reason, 'connection lost')
})

test('observers see what passes', async () => {
  const seen: string[] = []
  await using pair = channelPair({ bind: echoing })
  const watching = pair.here.observe({
    sent: (head, start) => void seen.push(`sent ${head.readInt32LE(start + 4)}`),
    received: (buffer, start) => void seen.push(`received ${buffer.readInt32LE(start + 4)}`),
  })
  await pair.here.request({ contentType: echo })
  watching[Symbol.dispose]()
  await pair.here.request({ contentType: echo })
  assert.deepEqual(seen, [`sent ${echo}`, `received ${echo}`])
  assert.equal(pair.here.counters.sentMessages, 2)
  assert.equal(pair.here.counters.receivedMessages, 2)
})

test('an observer that fails disturbs nobody', async () => {
  await using pair = channelPair({ bind: echoing })
  const fail = () => {
    throw new Error('bug')
  }
  pair.here.observe({ sent: fail, received: fail })
  for (let count = 0; count < 3; count++) await pair.here.request({ contentType: echo })
})

test('heartbeats ride on what is sent, are answered when nothing is, and measure the round trip', async () => {
  const heartbeats = { sendInterval: 30, checkInterval: 10, closeAfter: 60_000, grace: 0 }
  const trips: number[] = []
  await using pair = channelPair({ plan: { ...singlePlan, heartbeats } })
  pair.here.observe({ answered: (roundTrip) => void trips.push(roundTrip) })
  await eventually(() => trips.length >= 2, 'heartbeats are answered')
  assert.ok(trips.every((trip) => trip >= 0))
  assert.equal(typeof pair.here.roundTrip, 'number')
})

test('a peer that answers no heartbeat is given up', async () => {
  const heartbeats = { sendInterval: 20, checkInterval: 10, closeAfter: 100, grace: 0 }
  await using pair = channelPair({ plan: { ...singlePlan, heartbeats } })
  pair.there.pauseReading()
  // The side that does not read gets no answers either; whichever notices first ends both.
  assert.equal((await Promise.race([pair.here.closed, pair.there.closed])).reason, 'peer is silent')
})

test('the time a message waits in its queue can be measured', async () => {
  await using pair = channelPair()
  const milliseconds = await pair.here.measureQueueTime('default')
  assert.ok(milliseconds !== undefined && milliseconds >= 0 && milliseconds < 5_000)
  assert.equal(pair.there.counters.receivedMessages, 0)
})
