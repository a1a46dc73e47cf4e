import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../clock.ts'
import { SqliteStore } from '../store/sqlite/sqlite-store.ts'
import { type Store, StoreError } from '../store/store.ts'
import type { TableSpec } from './index-spec.ts'
import { loadTables } from './load.ts'
import type { Overlay } from './overlay.ts'
import type { Row, TableName } from './row.ts'
import { Tables } from './tables.ts'
import { type ChangeCause, type Commit, Writer, WriterBusyError } from './writer.ts'

const things = 'things' as TableName
const spec: TableSpec = { name: things, indexes: [] }
const specs = new Map([[spec.name, spec]])
const cause: ChangeCause = { author: { type: 'identity', id: 'me', name: 'Me' } }

async function opened(options: { maxWaiting: number } = { maxWaiting: 100 }, wrap = (store: Store) => store) {
  const directory = await mkdtemp(join(tmpdir(), 'weft-writer-'))
  const file = join(directory, 'weft.db')
  const store = wrap(await SqliteStore.open({ file, clock: systemClock }))
  const tables = new Tables([spec])
  const failures: unknown[] = []
  const journaled = (_table: string, row: Row) => {
    const { secret: _secret, ...rest } = row as Row & { secret?: string }
    return rest
  }
  const deps = {
    store,
    tables,
    specs,
    clock: systemClock,
    journaled,
    onFailure: (error: unknown) => failures.push(error),
  }
  const writer = new Writer(deps, options)
  return {
    file,
    store,
    tables,
    writer,
    failures,
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The same store with one method of another kind. */
function withAppend(store: Store, append: Store['append']): Store {
  return {
    get head() {
      return store.head
    },
    load: (take) => store.load(take),
    journal: (range) => store.journal(range),
    prune: (limits) => store.prune(limits),
    snapshot: (path) => store.snapshot(path),
    check: () => store.check(),
    acceptForeignWrites: () => store.acceptForeignWrites(),
    append,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

function put(id: string, values: object = {}) {
  return (draft: Overlay, time: string) => {
    const row = { id, createdAt: time, updatedAt: time, tags: {}, isSystem: false, ...values }
    draft.put(things, id, row)
    return row
  }
}

test('what was answered is in the tables, in the journal and, after a restart, in the store', async () => {
  await using world = await opened()
  await world.writer.submit(cause, put('a', { secret: 'hidden' }))
  assert.equal((world.tables.get(things, 'a') as Row | undefined)?.id, 'a')
  const journal = await world.store.journal({ after: 0 })
  assert.equal(journal.length, 1)
  assert.equal(JSON.parse(journal[0]!.cause).author.id, 'me')
  assert.ok(!journal[0]!.after!.includes('hidden'), 'secrets stay out of the journal')
  const again = new Tables([spec])
  assert.deepEqual(await loadTables(world.store, again), [])
  assert.equal((again.get(things, 'a') as unknown as { secret: string }).secret, 'hidden')
})

test('mutations of one tick share a commit; each sees those before it; one that throws drops out alone', async () => {
  await using world = await opened()
  const batches: (readonly Commit[])[] = []
  world.writer.follow((commits) => batches.push(commits))
  const results = await Promise.allSettled([
    world.writer.submit(cause, put('a')),
    world.writer.submit(cause, (draft, time) => {
      put('b')(draft, time)
      throw new Error('refused')
    }),
    world.writer.submit(cause, (draft) => [draft.get(things, 'a') !== undefined, draft.get(things, 'b') !== undefined]),
    world.writer.submit(cause, put('c')),
  ])
  assert.equal(results[1]!.status, 'rejected')
  assert.deepEqual((results[2] as PromiseFulfilledResult<unknown>).value, [true, false])
  assert.equal(batches.length, 1)
  assert.deepEqual(
    batches[0]!.map((commit) => commit.index),
    [1, 2],
  )
  assert.equal(world.tables.get(things, 'b'), undefined)
})

test('nothing is visible before it is durable', async () => {
  let release: (() => void) | undefined
  const slow = (store: Store) =>
    withAppend(store, async (transactions) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return store.append(transactions)
    })
  await using world = await opened({ maxWaiting: 100 }, slow)
  const written = world.writer.submit(cause, put('a'))
  while (release === undefined) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(world.tables.get(things, 'a'), undefined)
  release()
  await written
  assert.ok(world.tables.get(things, 'a'))
})

test('a failing store fails its callers and all later ones, applies nothing and is reported once', async () => {
  const broken = (store: Store) => withAppend(store, () => Promise.reject(new StoreError('STORE_FAILED', 'disk full')))
  await using world = await opened({ maxWaiting: 100 }, broken)
  await assert.rejects(world.writer.submit(cause, put('a')), { code: 'STORE_FAILED' })
  await assert.rejects(world.writer.submit(cause, put('b')), { code: 'STORE_FAILED' })
  assert.equal(world.tables.size(things), 0)
  assert.equal(world.failures.length, 1)
})

test('a long line of mutations that are all refused leaves turns to others', async () => {
  await using world = await opened()
  const slowRefusal = () => {
    const until = performance.now() + 30
    while (performance.now() < until);
    throw new Error('refused')
  }
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await Promise.allSettled(Array.from({ length: 8 }, () => world.writer.submit(cause, slowRefusal)))
  clearInterval(timer)
  assert.ok(turns >= 4, `${turns} turns`)
})

test('beyond the bound of waiting mutations the next one is refused at once', async () => {
  await using world = await opened({ maxWaiting: 3 })
  const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => world.writer.submit(cause, put(id))))
  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
  )
  assert.ok((results[3] as PromiseRejectedResult).reason instanceof WriterBusyError)
})

test('restated rows are stored as they are held, unseen by the journal unless it is told', async () => {
  await using world = await opened()
  await world.writer.submit(cause, put('a'))
  await world.writer.submit(cause, put('b'))
  const stored = new Map<string, string>()
  const batches: (readonly Commit[])[] = []
  world.writer.follow((commits) => batches.push(commits))
  const journal = { before: '{"id":"c"}', after: null }
  await world.writer.restate(cause, [
    { table: things, id: 'a' },
    { table: things, id: 'c', journal },
    { table: 'nowhere', id: 'd' },
  ])
  await world.store.load((rows) => {
    for (const { id, data } of rows) stored.set(id, data)
  })
  assert.deepEqual([...stored.keys()].sort(), ['a', 'b'])
  assert.equal(stored.get('a'), JSON.stringify(world.tables.get(things, 'a')))
  assert.deepEqual(
    batches.flat().map(({ index, changes }) => [index, changes]),
    [[3, []]],
  )
  const entries = await world.store.journal({ after: 2 })
  assert.deepEqual(
    entries.map(({ index, id, before, after }) => ({ index, id, before, after })),
    [{ index: 3, id: 'c', ...journal }],
  )
  await world.writer.submit(cause, put('e'))
  assert.equal(world.store.head.index, 4)
})

test('closing answers what waits and refuses what comes later', async () => {
  const world = await opened()
  const waiting = world.writer.submit(cause, put('a'))
  const closed = world.writer[Symbol.asyncDispose]()
  await assert.rejects(world.writer.submit(cause, put('b')), { code: 'STORE_CLOSED' })
  await waiting
  await closed
  await world[Symbol.asyncDispose]()
})
