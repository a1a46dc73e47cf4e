import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { numbers, put, rowsOf, transaction } from '../sample-history.ts'
import { hasCode } from '../store.suite.ts'
import { restoreSnapshot } from './restore.ts'
import { migrations } from './schema.ts'
import { SqliteStore } from './sqlite-store.ts'

const clock = { now: () => Date.UTC(2026, 6, 27, 10, 11, 12, 345) }

describe('restoring a snapshot', () => {
  test('keeps the replaced store, complete and able to open', async () => {
    await using place = await stored()
    const restored = await restoreSnapshot({ snapshot: place.snapshot, file: place.file, clock })
    assert.equal(restored.index, 1)
    assert.equal(restored.replaced, `${place.file}-replaced-20260727-101112.345`)
    await using replaced = await SqliteStore.open({ file: restored.replaced, clock })
    assert.equal(replaced.head.index, 2)
    assert.notEqual(replaced.head.timeline, restored.timeline)
    await using store = await SqliteStore.open({ file: place.file, clock })
    assert.equal(store.head.timeline, restored.timeline)
    assert.deepEqual(await rowsOf(store), new Map([['t/x', '1']]))
    if (process.platform !== 'win32') assert.equal(statSync(place.file).mode & 0o777, 0o600)
  })

  test('can be done twice from one snapshot, with a timeline each time', async () => {
    await using place = await stored()
    const first = await restoreSnapshot({ snapshot: place.snapshot, file: place.file, clock })
    const second = await restoreSnapshot({ snapshot: place.snapshot, file: place.file, clock: Date })
    assert.notEqual(first.timeline, second.timeline)
  })

  test('works where there is no store yet', async () => {
    await using place = await stored()
    const file = join(place.folder, 'fresh.db')
    assert.equal((await restoreSnapshot({ snapshot: place.snapshot, file, clock })).replaced, null)
    await using store = await SqliteStore.open({ file, clock })
    assert.equal(store.head.index, 1)
  })

  test('replaces a store that a killed process left with a log, and keeps what the log holds', async () => {
    await using place = await stored()
    {
      await using store = await SqliteStore.open({ file: place.file, clock })
      await store.append([transaction(3, put('t', 'x', '3'))])
      for (const suffix of ['', '-wal']) copyFileSync(place.file + suffix, join(place.folder, `crashed.db${suffix}`))
    }
    const file = join(place.folder, 'crashed.db')
    const { replaced } = await restoreSnapshot({ snapshot: place.snapshot, file, clock })
    assert.ok(!existsSync(`${file}-wal`))
    await using kept = await SqliteStore.open({ file: replaced!, clock })
    assert.equal(kept.head.index, 3)
    await using store = await SqliteStore.open({ file, clock })
    assert.deepEqual(await rowsOf(store), new Map([['t/x', '1']]))
  })

  test('replaces a damaged store and keeps it byte for byte', async () => {
    await using place = await stored()
    writeFileSync(place.file, 'no database at all\n'.repeat(1_000))
    writeFileSync(`${place.file}-wal`, 'no log either')
    const { replaced } = await restoreSnapshot({ snapshot: place.snapshot, file: place.file, clock })
    assert.equal(readFileSync(replaced!, 'utf8'), 'no database at all\n'.repeat(1_000))
    await using store = await SqliteStore.open({ file: place.file, clock })
    assert.deepEqual(await rowsOf(store), new Map([['t/x', '1']]))
  })

  test('is refused while somebody uses the store', async () => {
    await using place = await stored()
    await using store = await SqliteStore.open({ file: place.file, clock })
    await assert.rejects(restoreSnapshot({ snapshot: place.snapshot, file: place.file, clock }), hasCode('STORE_BUSY'))
    await store.append([transaction(3, put('t', 'y', '3'))])
  })

  const unfit: Record<string, { code: 'STORE_FAILED' | 'STORE_DAMAGED' | 'STORE_NEWER'; make(path: string): void }> = {
    'is missing': { code: 'STORE_FAILED', make: (path) => rmSync(path) },
    'is empty': { code: 'STORE_DAMAGED', make: (path) => truncateSync(path) },
    'is cut off': { code: 'STORE_DAMAGED', make: (path) => truncateSync(path, statSync(path).size - 8_192) },
    'has a torn page': { code: 'STORE_DAMAGED', make: (path) => fillPage(path, 3) },
    'is no database': { code: 'STORE_DAMAGED', make: (path) => writeFileSync(path, 'x'.repeat(20_000)) },
    'is a database of another program': {
      code: 'STORE_DAMAGED',
      make: (path) => change(path, 'PRAGMA application_id = 7'),
    },
    'comes from a newer Weft': {
      code: 'STORE_NEWER',
      make: (path) => change(path, `PRAGMA user_version = ${migrations.length + 1}`),
    },
    'has lost its timeline': { code: 'STORE_DAMAGED', make: (path) => change(path, 'DELETE FROM meta') },
  }
  for (const [name, { code, make }] of Object.entries(unfit)) {
    test(`is refused when the snapshot ${name}, and the store stays as it was`, async () => {
      await using place = await stored()
      make(place.snapshot)
      const before = readFileSync(place.file)
      const names = readdirSync(place.folder).sort()
      await assert.rejects(restoreSnapshot({ snapshot: place.snapshot, file: place.file, clock }), hasCode(code))
      assert.ok(before.equals(readFileSync(place.file)))
      assert.deepEqual(readdirSync(place.folder).sort(), names)
    })
  }
})

/** A store at index 2 and a snapshot of it at index 1. */
async function stored() {
  const folder = await mkdtemp(join(tmpdir(), 'weft-restore-'))
  const file = join(folder, 'store.db')
  const snapshot = join(folder, 'snapshot')
  await using store = await SqliteStore.open({ file, clock })
  await store.append([transaction(1, put('t', 'x', '1'))])
  await store.snapshot(snapshot)
  await store.append([transaction(2, put('t', 'x', '2'), ...numbers(1, 100).map((at) => put('u', `${at}`, 'y')))])
  return { folder, file, snapshot, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

function change(path: string, sql: string): void {
  using db = new DatabaseSync(path)
  db.exec(sql)
}

/** Overwrites a page of 4 KiB, counted from 1 as SQLite does. */
function fillPage(path: string, page: number): void {
  const bytes = readFileSync(path)
  bytes.fill(0xa5, (page - 1) * 4_096, page * 4_096)
  writeFileSync(path, bytes)
}
