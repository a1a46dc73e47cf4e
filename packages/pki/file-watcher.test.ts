import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { FileWatcher, type FileWatcherOptions } from './file-watcher.ts'
import { temporaryDirectory } from './testing/openssl.ts'

const quick: FileWatcherOptions = { debounce: 20, pollInterval: 60_000 }
/** Long enough for an event that should not come. */
const pause = 150

async function watched(files: readonly string[], options = quick, onChange = async () => {}) {
  let changes = 0
  const watcher = await FileWatcher.start(
    files,
    async () => {
      changes++
      await onChange()
    },
    options,
  )
  return {
    watcher,
    get changes() {
      return changes
    },
    async until(count: number) {
      const deadline = performance.now() + 5_000
      while (changes < count && performance.now() < deadline) await sleep(5)
      assert.equal(changes, count)
    },
    [Symbol.asyncDispose]: () => watcher[Symbol.asyncDispose](),
  }
}

test('tells of a file that is written, replaced, removed and back again', async () => {
  using home = temporaryDirectory()
  const file = join(home.path, 'a')
  writeFileSync(file, '1')
  await using seen = await watched([file])
  writeFileSync(file, '2')
  await seen.until(1)
  writeFileSync(`${file}.new`, '3')
  renameSync(`${file}.new`, file)
  await seen.until(2)
  rmSync(file)
  await seen.until(3)
  writeFileSync(file, '4')
  await seen.until(4)
})

test('a file that is not there yet is told of when it comes, its directory too', async () => {
  using home = temporaryDirectory()
  const file = join(home.path, 'later', 'a')
  await using seen = await watched([file], { debounce: 20, pollInterval: 30 })
  mkdirSync(join(home.path, 'later'))
  writeFileSync(file, '1')
  await seen.until(1)
})

test('other files in the directory, and reading, are no change', async () => {
  using home = temporaryDirectory()
  const file = join(home.path, 'a')
  writeFileSync(file, '1')
  await using seen = await watched([file])
  writeFileSync(join(home.path, 'b'), '1')
  await sleep(pause)
  assert.equal(seen.changes, 0)
})

test('several files that change together are one change', async () => {
  using home = temporaryDirectory()
  const files = ['key', 'cert', 'chain'].map((name) => join(home.path, name))
  for (const file of files) writeFileSync(file, '1')
  await using seen = await watched(files, { debounce: 300, pollInterval: 60_000 })
  for (const file of files) {
    writeFileSync(file, '2')
    await sleep(20)
  }
  await seen.until(1)
  await sleep(2 * 300)
  assert.equal(seen.changes, 1)
})

test('a burst that does not end is cut short', async () => {
  using home = temporaryDirectory()
  const file = join(home.path, 'a')
  writeFileSync(file, '0')
  await using seen = await watched([file], { debounce: 40, pollInterval: 60_000 })
  const started = performance.now()
  while (seen.changes === 0 && performance.now() - started < 5_000) {
    writeFileSync(file, String(performance.now()))
    await sleep(10)
  }
  assert.equal(seen.changes, 1)
})

test('a link that is turned to another directory is a change', async () => {
  using home = temporaryDirectory()
  const at = (...names: string[]) => join(home.path, ...names)
  for (const version of ['v1', 'v2']) {
    mkdirSync(at(version))
    writeFileSync(at(version, 'a'), version)
  }
  symlinkSync('v1', at('current'))
  symlinkSync(join('current', 'a'), at('a'))
  await using seen = await watched([at('a')])
  symlinkSync('v2', at('next'))
  renameSync(at('next'), at('current'))
  await seen.until(1)
  writeFileSync(at('v2', 'a'), 'more')
  await seen.until(2)
})

test('without events the files are looked at from time to time', async () => {
  using home = temporaryDirectory()
  mkdirSync(join(home.path, 'old'))
  const file = join(home.path, 'dir', 'a')
  await using seen = await watched([file], { debounce: 20, pollInterval: 25 })
  writeFileSync(join(home.path, 'old', 'a'), '1')
  renameSync(join(home.path, 'old'), join(home.path, 'dir'))
  await seen.until(1)
})

test('one change is dealt with at a time, and none after the end', async () => {
  using home = temporaryDirectory()
  const file = join(home.path, 'a')
  writeFileSync(file, '0')
  let running = 0
  let most = 0
  const seen = await watched([file], { debounce: 5, pollInterval: 5 }, async () => {
    most = Math.max(most, ++running)
    await sleep(60)
    running--
  })
  for (let count = 0; count < 10; count++) {
    writeFileSync(file, String(count))
    await sleep(15)
  }
  writeFileSync(file, 'last')
  await seen.watcher[Symbol.asyncDispose]()
  assert.deepEqual([most, running], [1, 0])
  const { changes } = seen
  writeFileSync(file, 'after')
  await sleep(pause)
  assert.equal(seen.changes, changes)
  await seen.watcher[Symbol.asyncDispose]()
})

test('follows other files when told to', async () => {
  using home = temporaryDirectory()
  const [one, two] = [join(home.path, 'one'), join(home.path, 'two')]
  for (const file of [one, two]) writeFileSync(file, '1')
  await using seen = await watched([one])
  await seen.watcher.follow([two])
  await seen.until(0)
  writeFileSync(two, '2')
  await seen.until(1)
})
