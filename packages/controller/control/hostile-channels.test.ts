/** Routers that come in as they should and then flood, stall, stop in the middle of a message or repeat themselves. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { channelHeader, encodeFrame, Headers, type OutgoingMessage } from '@weft/wire'
import { controlMessages } from '@weft/wire/messages'
import { heldBytes } from '@weft/wire/testing/held-bytes.ts'
import { TestController } from '../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../testing/test-router.ts'

/** Who is silent for longer is gone. Milliseconds. */
const SILENCE = 1_000
const routerHeartbeats = { sendInterval: 200, checkInterval: 100, closeUnresponsiveTimeout: SILENCE }
const ctrlChannels = {
  ...{ outQueueSize: 4, maxOutstandingConnects: 16, maxQueuedConnects: 1 },
  ...{ handshakeTimeout: 5_000, connectTimeout: 4_000, writeTimeout: undefined, routerHeartbeats },
}
const controller = await TestController.start({ ctrlChannels })
after(() => controller[Symbol.asyncDispose]())

const MEBIBYTE = 1_048_576
const FLOOD = 5_000
/** What the controller may hold for all that a router asks and does not take. */
const HELD = 16 * MEBIBYTE
/** Of the log. */
const LINES = 100
/** For a busy machine. */
const PATIENCE = 10_000

const frame = encodeFrame(controlMessages.typeOf('routerLinks'), new Headers(), Buffer.alloc(900), 9)

async function connected(): Promise<TestRouter> {
  return TestRouter.connect(controller, await enrollRouter(controller))
}

async function isServed(router: TestRouter): Promise<void> {
  await router.ask('inspectRequest', { body: { requestedValues: ['capability'] } })
}

/** Until the controller has given it up; who reads nothing does not notice that itself. */
async function isGivenUp({ id }: TestRouter): Promise<void> {
  while ((await controller.askAdmin('GET', `/edge-routers/${id}`)).json.data.isOnline) await sleep(50)
}

/** Lines of the log that operators see. */
function lines(): number {
  return controller.logged.filter((line) => !/"level":"(debug|trace)"/.test(line)).length
}

async function milliseconds(work: Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work
  return performance.now() - started
}

/** Sends as much as the other side takes. */
async function flood(router: TestRouter, message: OutgoingMessage): Promise<number> {
  let sent = 0
  for (let refused = 0; sent < FLOOD && refused < 50; ) {
    if (router.channel.trySend(message)) sent++
    else {
      refused++
      await sleep(5)
    }
    if (sent % 16 === 0) await new Promise(setImmediate)
  }
  return sent
}

test('a router that asks without end and takes no answer costs little, and others are served meanwhile', async () => {
  await using hostile = await connected()
  await using other = await connected()
  await isServed(hostile)
  await sleep(2 * routerHeartbeats.sendInterval)
  const [before, linesBefore] = [heldBytes(), lines()]
  hostile.channel.pauseReading()
  // Whoever asks says how long an answer is at least: it returns what the question wants returned.
  const { contentType, body } = controlMessages.encode('inspectRequest', { body: { requestedValues: [] } })
  const flooding = flood(hostile, {
    contentType,
    body,
    headers: new Headers().set(channelHeader.reflected, Buffer.alloc(20_000)),
  })
  assert.ok((await milliseconds(isServed(other))) < PATIENCE)
  await flooding
  assert.ok((await milliseconds(isServed(other))) < PATIENCE)
  const grown = heldBytes() - before
  assert.ok(grown < HELD, `${(grown / MEBIBYTE).toFixed(1)} MiB`)
  // It answers no heartbeat either, so its channel ends.
  assert.ok((await milliseconds(isGivenUp(hostile))) < SILENCE + PATIENCE)
  assert.ok(lines() - linesBefore < LINES, `${lines() - linesBefore} lines of log`)
})

test('messages that cannot be read cost a line each now and then, and nothing else', async () => {
  await using hostile = await connected()
  const before = lines()
  const sent = await flood(hostile, { contentType: controlMessages.typeOf('routerLinks'), body: Buffer.alloc(9, 0xff) })
  assert.ok(sent > 1_000)
  await isServed(hostile)
  assert.ok(lines() - before < LINES, `${lines() - before} lines of log`)
})

test('a router that falls silent, in the middle of a message too, is given up when its time is over', async () => {
  const words = [Buffer.alloc(0), frame.subarray(0, 20), frame.subarray(0, 30)]
  await Promise.all(
    words.map(async (said) => {
      await using hostile = await connected()
      await isServed(hostile)
      // At the start there is grace; after the first heartbeat there is none.
      await sleep(2 * routerHeartbeats.sendInterval)
      hostile.channel.pauseReading()
      hostile.channel.underlays[0]!.connection.write(said)
      const took = await milliseconds(isGivenUp(hostile))
      assert.ok(took < SILENCE + PATIENCE, `${took} ms`)
    }),
  )
})

test('a message of more bytes than any has ends the channel before it comes', async () => {
  await using hostile = await connected()
  const announced = Buffer.from(frame)
  announced.writeUInt32LE(0x7fff_ffff, 16)
  hostile.channel.underlays[0]!.connection.write(announced)
  const { reason } = await hostile.channel.closed
  assert.equal(reason, 'connection lost')
})

test('what is repeated changes nothing', async () => {
  await using router = await connected()
  await using peer = await connected()
  const link = { id: randomUUID(), destRouterId: peer.id, linkProtocol: 'tls', dialAddress: 'tls:here:1' }
  const report = (iteration: number) => router.send('routerLinks', { body: { links: [{ ...link, iteration }] } })
  const lose = (iteration: number) => router.send('fault', { body: { subject: 'LinkFault', id: link.id, iteration } })
  const faults = () => peer.all('fault').map(({ body }) => body.iteration)
  await report(5)
  await lose(5)
  await peer.hears('fault', ({ body }) => body.id === link.id)
  await report(6)
  await router.hears('serverHello')
  // The same words again, of a link that has been replaced since, and answers that nobody waits for any more.
  for (let times = 0; times < 300; times++) {
    await report(5)
    await lose(5)
    await router.answer('serverHello', 'clientHello', {
      hasDataModel: true,
      body: { version: 'v2.1.0', hostname: 'x' },
    })
  }
  await isServed(router)
  await isServed(peer)
  assert.deepEqual(faults(), [5])
  await lose(6)
  await peer.hears('fault', ({ body }) => body.iteration === 6)
  assert.equal(router.channel.isClosed, false)
})
