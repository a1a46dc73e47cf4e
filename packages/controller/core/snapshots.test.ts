import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { put, rowsOf, transaction } from '../store/sample-history.ts'
import { SnapshotError } from '../store/snapshot-error.ts'
import { SqliteStore } from '../store/sqlite/sqlite-store.ts'
import { Snapshots, SnapshotTooSoonError } from './snapshots.ts'

describe('snapshots', () => {
  test('lie next to the database, named by their time, and hold what it holds', async () => {
    await using place = await openPlace()
    await place.store.append([transaction(1, put('t', 'x', '1'))])
    const path = await place.snapshots.take()
    assert.equal(path, `${place.file}-20260727-101112.345`)
    await using copy = await SqliteStore.open({ file: path, clock: place.clock })
    assert.deepEqual(await rowsOf(copy), new Map([['t/x', '1']]))
  })

  test('are taken for callers once a minute at most, and never two at a time', async () => {
    await using place = await openPlace()
    const [first, second] = await Promise.allSettled([place.snapshots.take(), place.snapshots.take()])
    assert.equal(first.status, 'fulfilled')
    assert.ok(second.status === 'rejected' && second.reason instanceof SnapshotTooSoonError)
    place.pass(59_999)
    await assert.rejects(place.snapshots.take(), SnapshotTooSoonError)
    place.pass(1)
    await place.snapshots.take()
  })

  test('of the controller itself neither wait nor count', async () => {
    await using place = await openPlace()
    await place.snapshots.takeNow()
    place.pass(1)
    await place.snapshots.take()
    place.pass(1)
    await place.snapshots.takeNow()
    assert.equal((await readdir(place.folder)).filter((name) => name.includes('db-2026')).length, 3)
  })

  const isRoot = process.getuid?.() === 0
  test('that fail do not count', { skip: isRoot && 'the superuser may write anywhere' }, async () => {
    await using place = await openPlace()
    await chmod(place.folder, 0o500)
    await assert.rejects(place.snapshots.take(), SnapshotError)
    await chmod(place.folder, 0o700)
    await place.snapshots.take()
  })

  test('that fail because their name is taken do not count either', async () => {
    await using place = await openPlace()
    await place.snapshots.takeNow()
    await assert.rejects(place.snapshots.take(), SnapshotError)
    place.pass(1)
    await place.snapshots.take()
  })
})

async function openPlace() {
  let now = Date.UTC(2026, 6, 27, 10, 11, 12, 345)
  const clock = { now: () => now, monotonic: () => now }
  const folder = await mkdtemp(join(tmpdir(), 'weft-snapshots-'))
  const file = join(folder, 'network.db')
  const store = await SqliteStore.open({ file, clock })
  return {
    folder,
    file,
    store,
    clock,
    snapshots: new Snapshots({ store, clock }, { databaseFile: file }),
    pass(milliseconds: number) {
      now += milliseconds
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
