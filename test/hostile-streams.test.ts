/**
 * Management streams whose users lie, come in crowds, stop in the middle, repeat themselves, ask without end or take no
 * answer. Each meets a bound, and the controller serves whoever else is there.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFrame, Headers } from '@weft/wire'
import { managementMessages } from '@weft/wire/messages'
import { ApiClient } from './kit/api-client.ts'
import { TestStream } from './kit/management-stream.ts'
import { slack, until } from './kit/patience.ts'
import { MEBIBYTE, residentBytes } from './kit/process-memory.ts'
import { sharedStart } from './kit/running.ts'

const running = sharedStart()
const limits = { timeout: 60_000 }
const MOST_STREAMS = 64
const FLOOD = 5_000
/** What the controller may hold for all that is asked and not taken. */
const HELD = 128 * MEBIBYTE
/** Milliseconds for an answer to somebody else. */
const SOON = 2_000 * slack

async function open(): Promise<TestStream> {
  const { controller, admin } = running()
  return await TestStream.open(controller, admin.token)
}

/** Whether others are answered, on a stream and on the API. */
async function isServed(stream: TestStream): Promise<void> {
  const started = performance.now()
  const { message } = await stream.request('inspect', { body: { appRegex: 'nobody', requestedValues: [] } })
  assert.equal(message.body.success, true)
  assert.equal((await running().admin.get('/version')).status, 200)
  assert.ok(performance.now() - started < SOON, `${Math.round(performance.now() - started)} ms`)
}

test('whoever is nobody gets no stream, however often, and a session that has ended opens none', limits, async () => {
  const { controller } = running()
  const tokens = Array.from({ length: 60 }, (_, nth) => (nth % 2 ? undefined : `made-up-${nth}`))
  const refused = await Promise.all(
    tokens.map((token) => TestStream.open(controller, token).catch((error: Error) => error.message)),
  )
  assert.deepEqual([...new Set(refused)], ['refused with 401'])
  using other = await ApiClient.login(controller)
  await (await TestStream.open(controller, other.token))[Symbol.asyncDispose]()
  await other.delete('/current-api-session')
  await assert.rejects(TestStream.open(controller, other.token), /refused with 401/)
})

test('there are so many streams and no more, and one that ends makes room', limits, async () => {
  const opened = await Promise.allSettled(Array.from({ length: MOST_STREAMS + 20 }, open))
  const streams = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  assert.equal(streams.length, MOST_STREAMS)
  for (const each of opened) if (each.status === 'rejected') assert.match(String(each.reason), /refused with 429/)
  await isServed(streams[0]!)
  for (const stream of streams.slice(1)) await stream[Symbol.asyncDispose]()
  const again = await until('there is room', () => open().catch(() => undefined))
  await again[Symbol.asyncDispose]()
  await streams[0]![Symbol.asyncDispose]()
})

test(
  'half a message, several at once, one that is too long or none at all ends the stream, and no other',
  limits,
  async () => {
    await using witness = await open()
    const frame = encodeFrame(managementMessages.typeOf('inspect'), new Headers(), Buffer.alloc(50), 1)
    const announced = Buffer.from(frame)
    announced.writeUInt32LE(0x7fff_ffff, 16)
    const several = Buffer.concat([frame, frame])
    for (const words of [frame.subarray(0, 30), frame.subarray(0, 10), several, announced, Buffer.alloc(500, 0xff)]) {
      const stream = await open()
      stream.channel.underlays[0]!.connection.write(words)
      await stream.channel.closed
    }
    await isServed(witness)
  },
)

test('who asks without end and takes no answer costs little', limits, async () => {
  const { controller } = running()
  await using witness = await open()
  await isServed(witness)
  const before = await residentBytes(controller.pid)
  const greedy = await open()
  greedy.channel.pauseReading()
  const requestedValues = Array.from({ length: 50 }, () => 'connected-routers')
  const asked = managementMessages.encode('inspect', { body: { appRegex: '.*', requestedValues } })
  const { connection } = greedy.channel.underlays[0]!
  for (let nth = 0; nth < FLOOD; nth++) {
    connection.write(encodeFrame(asked.contentType, new Headers(), asked.body!, nth + 1))
    if (nth % 1_000 === 0) await isServed(witness)
  }
  await isServed(witness)
  const grown = (await residentBytes(controller.pid)) - before
  assert.ok(grown < HELD, `${(grown / MEBIBYTE).toFixed(0)} MiB`)
  connection.destroy()
  await isServed(witness)
})

test('what is repeated is answered again, and answers that nobody waits for are passed over', limits, async () => {
  await using stream = await open()
  const result = encodeFrame(managementMessages.typeOf('result'), new Headers(), Buffer.alloc(0), 5)
  for (let nth = 0; nth < 500; nth++) stream.channel.underlays[0]!.connection.write(result)
  const same = await Promise.all(Array.from({ length: 100 }, () => stream.subscribe({ type: 'circuit' })))
  assert.equal(same.filter(({ success }) => success).length, 32, 'subscriptions have a bound')
  await isServed(stream)
})
