import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { FileSink } from './file-sink.ts'

const never = new AbortController().signal
const isWindows = process.platform === 'win32'

/** A clock that stands still, so that two rotations meet in the same millisecond. */
const clock: Clock = { now: () => Date.UTC(2026, 7, 1, 12), monotonic: () => 0 }

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-events-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function openSink(path: string, options: { maxBytes?: number; maxBackups?: number } = {}) {
  return FileSink.open({ clock }, { path, maxBytes: options.maxBytes ?? 1_000, maxBackups: options.maxBackups ?? 0 })
}

/** Waits until a writer has begun. */
async function firstByte(reader: FileHandle): Promise<void> {
  const { bytesRead } = await reader.read(Buffer.alloc(1)).catch(() => ({ bytesRead: 0 }))
  if (bytesRead > 0) return
  await sleep(5)
  await firstByte(reader)
}

test('appends to what is there; a new file is readable by its owner only', async (t) => {
  const path = join(await temporaryFolder(t), 'events.log')
  for (const line of ['a\n', 'b\n']) {
    await using sink = await openSink(path)
    assert.deepEqual(await sink.write([line], never), { written: 1 })
  }
  assert.equal(await readFile(path, 'utf8'), 'a\nb\n')
  if (!isWindows) assert.equal((await stat(path)).mode & 0o777, 0o600)
})

test('puts the file aside before it would grow beyond its size, at line ends only', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'events.log')
  await using sink = await openSink(path, { maxBytes: 10 })
  assert.deepEqual(await sink.write(['1111\n', '2222\n', '3333\n', '4444\n', '5\n'], never), { written: 5 })
  assert.deepEqual((await readdir(folder)).sort(), [
    'events-2026-08-01T12-00-00.000.log',
    'events-2026-08-01T12-00-00.001.log',
    'events.log',
  ])
  assert.equal(await readFile(join(folder, 'events-2026-08-01T12-00-00.000.log'), 'utf8'), '1111\n2222\n')
  assert.equal(await readFile(join(folder, 'events-2026-08-01T12-00-00.001.log'), 'utf8'), '3333\n4444\n')
  assert.equal(await readFile(path, 'utf8'), '5\n')
})

test('keeps as many old files as asked, the newest, and touches no stranger', async (t) => {
  const folder = await temporaryFolder(t)
  const strangers = ['events-old.log', 'events.log.bak', 'other-2020-01-01T00-00-00.000.log']
  for (const name of strangers) await writeFile(join(folder, name), '')
  await writeFile(join(folder, 'events-2020-01-01T00-00-00.000.log'), '')
  await using sink = await openSink(join(folder, 'events.log'), { maxBytes: 2, maxBackups: 2 })
  await sink.write(['1\n', '2\n', '3\n', '4\n'], never)
  assert.deepEqual(
    (await readdir(folder)).sort(),
    [
      'events-2026-08-01T12-00-00.001.log',
      'events-2026-08-01T12-00-00.002.log',
      ...['events.log', ...strangers].sort(),
    ].sort(),
  )
})

test('a line longer than a whole file is written alone, not lost', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'events')
  await using sink = await openSink(path, { maxBytes: 4 })
  assert.deepEqual(await sink.write(['1\n', 'long line\n', '2\n'], never), { written: 3 })
  assert.equal(await readFile(join(folder, 'events-2026-08-01T12-00-00.001'), 'utf8'), 'long line\n')
  assert.equal(await readFile(path, 'utf8'), '2\n')
})

test('follows a file that another tool moved away once told to', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'events.log')
  await using sink = await openSink(path)
  await sink.write(['1\n'], never)
  await rename(path, join(folder, 'moved'))
  sink.reopen()
  await sink.write(['2\n'], never)
  assert.equal(await readFile(join(folder, 'moved'), 'utf8'), '1\n')
  assert.equal(await readFile(path, 'utf8'), '2\n')
})

test('a path that cannot be written to is refused at once', async (t) => {
  const folder = await temporaryFolder(t)
  await assert.rejects(openSink(join(folder, 'missing', 'events.log')), { code: 'ENOENT' })
  await assert.rejects(openSink(folder), { code: 'EISDIR' })
})

test('a full disk is an outcome with its error, and nothing counts as written', { skip: isWindows }, async (t) => {
  try {
    await stat('/dev/full')
  } catch {
    t.skip('this system has no /dev/full')
    return
  }
  await using sink = await openSink('/dev/full')
  for (let attempt = 0; attempt < 2; attempt++) {
    const { written, error } = await sink.write(['1\n', '2\n'], never)
    assert.equal(written, 0)
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
  }
})

test('recovers by itself when the place to write to comes back', { skip: isWindows }, async (t) => {
  const folder = join(await temporaryFolder(t), 'inner')
  await mkdir(folder)
  const path = join(folder, 'events.log')
  await using sink = await openSink(path, { maxBytes: 2 })
  await sink.write(['1\n'], never)
  await rename(folder, `${folder}-gone`)
  const failed = await sink.write(['2\n'], never)
  assert.equal(failed.written, 0)
  assert.equal((failed.error as NodeJS.ErrnoException).code, 'ENOENT')
  await rename(`${folder}-gone`, folder)
  assert.deepEqual(await sink.write(['2\n'], never), { written: 1 })
  assert.equal(await readFile(path, 'utf8'), '2\n')
})

test('a pipe whose reader stalls is waited for without holding anything, until told to stop', {
  skip: isWindows,
}, async (t) => {
  const path = join(await temporaryFolder(t), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  t.after(() => reader.close())
  await using sink = await openSink(path)
  const stop = new AbortController()
  const line = `${'x'.repeat(1023)}\n`
  const writing = sink.write(
    Array.from({ length: 1_000 }, () => line),
    stop.signal,
  )
  await firstByte(reader)
  await sleep(50)
  stop.abort()
  const { written, error } = await writing
  assert.ok(written > 0 && written < 1_000, String(written))
  assert.equal(error?.name, 'AbortError')
})

test('a line cut off by a failure ends before the next one begins', { skip: isWindows }, async (t) => {
  const path = join(await temporaryFolder(t), 'pipe')
  execFileSync('mkfifo', [path])
  const first = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  await using sink = await openSink(path)
  const stop = new AbortController()
  const writing = sink.write([`${'x'.repeat(200_000)}\n`], stop.signal)
  await firstByte(first)
  await sleep(50)
  stop.abort()
  assert.equal((await writing).written, 0)
  const second = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  await first.close()
  t.after(() => second.close())
  const retry = sink.write(['next\n'], never)
  let seen = ''
  const buffer = Buffer.alloc(65_536)
  while (!seen.endsWith('next\n')) {
    await sleep(5)
    const { bytesRead } = await second.read(buffer).catch(() => ({ bytesRead: 0 }))
    seen += buffer.toString('latin1', 0, bytesRead)
  }
  assert.deepEqual(await retry, { written: 1 })
  assert.match(seen, /^x+\nnext\n$/)
})
