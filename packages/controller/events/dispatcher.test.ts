import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { createLogger, silentLogger } from '../log/logger.ts'
import { EventDispatcher } from './dispatcher.ts'
import type { EventHandlerSpec } from './event-handler.ts'
import type { ControllerEvent } from './event-types.ts'
import { FileSink } from './file-sink.ts'
import { formatJson } from './json.ts'
import type { EventSink, WriteOutcome } from './sink.ts'
import { isProblem, readSubscription } from './subscription.ts'

const clock: Clock = { now: () => Date.UTC(2026, 7, 1, 12), monotonic: () => performance.now() }
const isWindows = process.platform === 'win32'

function dispatcher(options: { flushMilliseconds?: number } = {}, log = silentLogger) {
  return new EventDispatcher({ clock, log }, { controllerId: 'ctrl1', ...options })
}

function spec(sink: EventSink, types: readonly string[], limits?: EventHandlerSpec['limits']): EventHandlerSpec {
  const subscriptions = types.flatMap((type) => {
    const result = readSubscription({ type })
    return isProblem(result) ? [] : [result]
  })
  return { name: 'test', subscriptions, format: formatJson, sink, limits }
}

const sdk = (identity_id: unknown) => ({ namespace: 'sdk', identity_id }) as ControllerEvent

/** Keeps what it gets; fails as long as it is told to. */
class MemorySink implements EventSink {
  lines: string[] = []
  writes = 0
  failure: Error | undefined
  isDisposed = false

  async write(lines: readonly string[]): Promise<WriteOutcome> {
    this.writes += 1
    if (this.failure !== undefined) return { written: 0, error: this.failure }
    this.lines.push(...lines)
    return { written: lines.length }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true
  }
}

/** Waits for what will come, but not for ever. */
async function until(isSo: () => boolean): Promise<void> {
  const signal = AbortSignal.timeout(10_000)
  while (!isSo()) await sleep(5, undefined, { signal })
}

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-events-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('events reach who subscribed, stamped and in order, in few writes', async () => {
  const wanted = new MemorySink()
  const other = new MemorySink()
  {
    await using events = dispatcher()
    events.attach(spec(wanted, ['sdk']))
    events.attach(spec(other, ['alert']))
    assert.deepEqual([events.isWanted('sdk'), events.isWanted('session')], [true, false])
    for (let i = 0; i < 1_000; i++) events.emit(sdk(i))
  }
  assert.equal(wanted.lines.length, 1_000)
  assert.equal(
    wanted.lines[999],
    '{"namespace":"sdk","event_src_id":"ctrl1","timestamp":"2026-08-01T12:00:00.000Z","identity_id":999}\n',
  )
  assert.equal(wanted.writes, 1)
  assert.deepEqual(other.lines, [])
  assert.ok(wanted.isDisposed && other.isDisposed)
})

test('a handler that was removed gets nothing more', async () => {
  const sink = new MemorySink()
  await using events = dispatcher()
  const attached = events.attach(spec(sink, ['sdk']))
  events.emit(sdk(1))
  await attached[Symbol.asyncDispose]()
  events.emit(sdk(2))
  assert.equal(sink.lines.length, 1)
  assert.equal(events.isWanted('sdk'), false)
})

test('emit never throws, not even for what cannot be formatted', async () => {
  const sink = new MemorySink()
  await using events = dispatcher()
  events.attach(spec(sink, ['sdk']))
  events.emit(sdk(1n))
  events.emit(sdk('fine'))
  await until(() => sink.lines.length > 0)
  assert.equal(sink.lines.length, 1)
  assert.equal(events.stats[0]!.dropped.get('sdk'), 1)
})

test('a stalled pipe never makes emit wait; what overflows is counted, what was queued arrives', {
  skip: isWindows,
}, async (t) => {
  const path = join(await temporaryFolder(t), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  t.after(() => reader.close())
  const sink = await FileSink.open({ clock }, { path, maxBytes: 1_000, maxBackups: 0 })
  await using events = dispatcher()
  events.attach(spec(sink, ['sdk', 'alert'], { maxLines: 2_000, maxBytes: 1_000_000 }))

  const text = 'x'.repeat(400)
  let slowest = 0
  for (let i = 0; i < 20_000; i++) {
    const start = performance.now()
    events.emit(sdk(`${i} ${text}`))
    slowest = Math.max(slowest, performance.now() - start)
    if (i % 1_000 === 0) await sleep(1)
  }
  assert.ok(slowest < 250, `one emit took ${slowest} ms`)
  const full = events.stats[0]!
  assert.ok(full.queuedLines <= 2_000 && full.queuedBytes <= 1_000_000)
  const dropped = full.dropped.get('sdk')!
  assert.equal(dropped + full.written + full.queuedLines, 20_000)
  assert.ok(dropped > 15_000)
  events.emit({ namespace: 'alert', message: text } as ControllerEvent)
  assert.equal(events.stats[0]!.dropped.get('alert'), 1)

  let seen = 0
  const buffer = Buffer.alloc(65_536)
  while (seen < 20_000 - dropped) {
    const { bytesRead } = await reader.read(buffer).catch(() => ({ bytesRead: 0 }))
    for (const byte of buffer.subarray(0, bytesRead)) if (byte === 0x0a) seen += 1
    if (bytesRead === 0) await sleep(5)
  }
  await until(() => events.stats[0]!.queuedLines === 0)
  assert.deepEqual([seen, events.stats[0]!.queuedLines], [20_000 - dropped, 0])
})

test('a failing sink is tried again; failure and recovery are logged once each', async (t) => {
  let logged = ''
  const stream = new PassThrough({ encoding: 'utf8' }).on('data', (text) => {
    logged += text
  })
  const log = createLogger({ stream }, { level: 'info', format: 'json' })
  t.after(() => log[Symbol.asyncDispose]())
  const sink = new MemorySink()
  sink.failure = new Error('ENOSPC')
  await using events = dispatcher({}, log)
  events.attach(spec(sink, ['sdk'], { maxLines: 3 }))
  for (let i = 0; i < 5; i++) events.emit(sdk(i))
  await until(() => sink.writes >= 2)
  assert.equal(events.stats[0]!.writeErrors, sink.writes)
  sink.failure = undefined
  await until(() => logged.includes('written again'))
  assert.deepEqual(
    sink.lines.map((line) => JSON.parse(line).identity_id),
    [0, 1, 2],
  )
  assert.equal(events.stats[0]!.dropped.get('sdk'), 2)
  const messages = logged
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg)
  assert.deepEqual(messages, ['events are dropped', 'events cannot be written', 'events are written again'])
})

test('the end flushes what waits', async (t) => {
  const path = join(await temporaryFolder(t), 'events.log')
  {
    await using events = dispatcher()
    events.attach(spec(await FileSink.open({ clock }, { path, maxBytes: 1e9, maxBackups: 0 }), ['sdk']))
    for (let i = 0; i < 5_000; i++) events.emit(sdk(i))
  }
  const lines = (await readFile(path, 'utf8')).trim().split('\n')
  assert.equal(lines.length, 5_000)
  assert.equal(JSON.parse(lines[4_999]!).identity_id, 4_999)
})

test('the end keeps its deadline when a sink hangs for good, and counts what was lost', async () => {
  const hanging: EventSink = {
    write: () => new Promise(() => {}),
    [Symbol.asyncDispose]: () => new Promise(() => {}),
  }
  const events = dispatcher({ flushMilliseconds: 50 })
  events.attach(spec(hanging, ['sdk']))
  for (let i = 0; i < 10; i++) events.emit(sdk(i))
  const start = performance.now()
  await events[Symbol.asyncDispose]()
  assert.ok(performance.now() - start < 1_000)
  assert.equal(events.stats[0]!.dropped.get('sdk'), 10)
  events.emit(sdk('late'))
  assert.equal(events.stats[0]!.dropped.get('sdk'), 11)
})

test('memory stays within the bound of the queue under a flood', async () => {
  const hanging: EventSink = { write: () => new Promise(() => {}), [Symbol.asyncDispose]: async () => {} }
  const events = dispatcher({ flushMilliseconds: 10 })
  events.attach(spec(hanging, ['sdk'], { maxLines: 1_000_000, maxBytes: 1_000_000 }))
  for (let i = 0; i < 100_000; i++) events.emit(sdk('y'.repeat(1_000)))
  assert.ok(events.stats[0]!.queuedBytes <= 1_000_000)
  assert.ok(events.stats[0]!.dropped.get('sdk')! > 99_000)
  await events[Symbol.asyncDispose]()
})
