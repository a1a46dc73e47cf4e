/**
 * What every store must do, whatever engine is below it. Each implementation's test file calls this with a way to make
 * a fresh one.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { entriesOf, numbers, put, remove, replay, rowsOf, timeOf, transaction } from './sample-history.ts'
import { SnapshotError } from './snapshot-error.ts'
import { type Store, type StoredChange, StoreError } from './store.ts'

/** One store and what a test may do to it from outside. Disposing of it leaves nothing behind. */
export interface StoreUnderTest extends AsyncDisposable {
  /** A folder of this test, for snapshots. */
  readonly folder: string
  /** Opens the store, for the first time or again. */
  open(): Promise<Store>
  /** Opens a snapshot as a store of its own. */
  openSnapshot(path: string): Promise<Store>
  /** Puts a snapshot in the place of the closed store. */
  restore(path: string): Promise<void>
}

export function storeSuite(engine: string, create: () => Promise<StoreUnderTest>): void {
  describe(`a store on ${engine}`, () => {
    test('is empty at first', async () => {
      await using fixture = await create()
      await using store = await fixture.open()
      assert.equal(store.head.index, 0)
      assert.ok(store.head.timeline.length > 0)
      assert.deepEqual(await rowsOf(store), new Map())
      assert.deepEqual(await store.journal({ after: 0 }), [])
      assert.deepEqual(await store.check(), [])
    })

    test('keeps creations, updates and deletions, also after it was closed', async () => {
      await using fixture = await create()
      const history = [
        transaction(1, put('identities', 'a', '{"v":1}')),
        transaction(2, put('identities', 'b', '{"v":2}'), put('services', 'a', '{"v":3}')),
        transaction(3, put('identities', 'a', '{"v":4}', '{"v":1}')),
        transaction(4, remove('identities', 'b', '{"v":2}')),
      ]
      let timeline: string
      {
        await using store = await fixture.open()
        await store.append(history.slice(0, 2))
        await store.append(history.slice(2))
        assert.equal(store.head.index, 4)
        assert.deepEqual(await rowsOf(store), replay(history))
        timeline = store.head.timeline
      }
      await using store = await fixture.open()
      assert.equal(store.head.index, 4)
      assert.equal(store.head.timeline, timeline)
      assert.deepEqual(await rowsOf(store), replay(history))
      assert.deepEqual(await store.journal({ after: 0 }), entriesOf(history))
    })

    test('hands over one chunk at a time to a taker that needs time', async () => {
      await using fixture = await create()
      await using store = await fixture.open()
      await store.append([transaction(1, ...numbers(1, 10_000).map((at) => put('t', `${at}`, '1')))])
      let rows = 0
      let isTaking = false
      await store.load(async (chunk) => {
        assert.equal(isTaking, false)
        isTaking = true
        await new Promise((resolve) => setImmediate(resolve))
        rows += chunk.length
        isTaking = false
      })
      assert.equal(rows, 10_000)
    })

    test('takes batches that follow each other without waiting', async () => {
      await using fixture = await create()
      await using store = await fixture.open()
      await Promise.all(numbers(1, 50).map((index) => store.append([transaction(index, put('t', 'x', `${index}`))])))
      assert.equal(store.head.index, 50)
      assert.deepEqual(await rowsOf(store), new Map([['t/x', '50']]))
    })

    test('finishes what was asked before it closes, and refuses what comes later', async () => {
      await using fixture = await create()
      const store = await fixture.open()
      const appended = store.append([transaction(1, put('t', 'x', '1'))])
      const closed = store[Symbol.asyncDispose]()
      const late = [
        () => store.append([]),
        () => store.journal({ after: 0 }),
        () => store.load(() => {}),
        () => store.check(),
      ]
      for (const call of late) await assert.rejects(call, hasCode('STORE_CLOSED'))
      await appended
      await closed
      await store[Symbol.asyncDispose]()
      await using again = await fixture.open()
      assert.equal(again.head.index, 1)
    })

    for (const { name, wrong } of [
      {
        name: 'an index that leaves a gap',
        wrong: [transaction(2, put('t', 'y', '2')), transaction(4, put('t', 'y', '4'))],
      },
      { name: 'an index that was used', wrong: [transaction(1, put('t', 'y', '2'))] },
      { name: 'an unescaped NUL', wrong: [transaction(2, put('t', 'y', 'a\0b'))] },
      { name: 'half a character', wrong: [transaction(2, put('t', 'y', 'a\ud83d'))] },
      {
        name: 'an unescaped NUL in an id',
        wrong: [transaction(2, put('t', 'ok', '1')), transaction(3, put('t', '\0', '1'))],
      },
    ]) {
      test(`refuses ${name}, changes nothing and goes on`, async () => {
        await using fixture = await create()
        await using store = await fixture.open()
        await store.append([transaction(1, put('t', 'x', '1'))])
        await assert.rejects(store.append(wrong), RangeError)
        assert.equal(store.head.index, 1)
        await store.append([transaction(2, put('t', 'z', '2'))])
        assert.deepEqual(
          await rowsOf(store),
          new Map([
            ['t/x', '1'],
            ['t/z', '2'],
          ]),
        )
      })
    }

    test('gives every text back as it was', async () => {
      await using fixture = await create()
      const texts = [
        '',
        ' ',
        '"',
        "'; DROP TABLE rows; --",
        'ünïcödé',
        '👩‍🚀🧵',
        '\u2028\ufeff',
        JSON.stringify('\0\ud83d'),
        '\t\r\n',
        '9007199254740993',
        'x'.repeat(1_000_000),
      ]
      const history = texts.map((text, at) =>
        transaction(at + 1, put(`t${text.slice(0, 9)}`, `i${text.slice(0, 9)}`, text, text)),
      )
      await using store = await fixture.open()
      await store.append(history)
      assert.deepEqual(await rowsOf(store), replay(history))
      assert.deepEqual(await store.journal({ after: 0 }), entriesOf(history))
    })

    test('keeps a change without before and after out of the journal, and counts its index', async () => {
      await using fixture = await create()
      const quiet: StoredChange = { table: 'api-sessions', id: 's', data: '{"seen":1}', before: null, after: null }
      const history = [
        transaction(1, put('t', 'x', '1'), quiet, put('t', 'y', '2')),
        transaction(2, quiet),
        transaction(3),
        transaction(4, put('t', 'x', '3', '1')),
      ]
      {
        await using store = await fixture.open()
        await store.append(history.slice(0, 3))
        assert.equal(store.head.index, 3)
      }
      await using store = await fixture.open()
      assert.equal(store.head.index, 3)
      await store.append(history.slice(3))
      assert.equal((await rowsOf(store)).get('api-sessions/s'), '{"seen":1}')
      const seen = (await store.journal({ after: 0 })).map(({ index, ordinal }) => `${index}.${ordinal}`)
      assert.deepEqual(seen, ['1.0', '1.2', '4.0'])
    })

    test('reads any range of the journal in both directions, in whole transactions', async () => {
      await using fixture = await create()
      await using store = await fixture.open()
      const wide = Array.from({ length: 5 }, (_, at) => put('t', `w${at}`, `${at}`))
      const history = [
        transaction(1, put('t', 'a', '1')),
        transaction(2, put('t', 'b', '2'), put('t', 'c', '2')),
        transaction(3, ...wide),
        transaction(4, put('t', 'd', '4')),
      ]
      await store.append(history)
      const all = entriesOf(history)
      const between = (low: number, high: number) => all.filter(({ index }) => index >= low && index <= high)
      for (const { range, expected } of [
        { range: { after: 0 }, expected: all },
        { range: { after: 4 }, expected: [] },
        { range: { after: 9 }, expected: [] },
        { range: { after: 1 }, expected: between(2, 4) },
        { range: { after: 1, upTo: 3 }, expected: between(2, 3) },
        { range: { after: 0, upTo: 99 }, expected: all },
        { range: { after: 3, upTo: 2 }, expected: [] },
        { range: { after: 0, limit: 0 }, expected: [] },
        { range: { after: 0, limit: 1 }, expected: between(1, 1) },
        { range: { after: 0, limit: 2 }, expected: between(1, 1) },
        { range: { after: 0, limit: 3 }, expected: between(1, 2) },
        { range: { after: 2, limit: 2 }, expected: between(3, 3) },
        { range: { after: 0, limit: 99 }, expected: all },
        { range: { after: 0, isReversed: true }, expected: all.toReversed() },
        { range: { after: 2, isReversed: true }, expected: between(3, 4).toReversed() },
        { range: { after: 0, upTo: 3, isReversed: true, limit: 6 }, expected: between(3, 3).toReversed() },
        { range: { after: 0, upTo: 3, isReversed: true, limit: 2 }, expected: between(3, 3).toReversed() },
      ]) {
        assert.deepEqual(await store.journal(range), expected, JSON.stringify(range))
      }
    })

    test('drops what is older than a time, whole transactions from the start, and keeps the rows', async () => {
      await using fixture = await create()
      const history = numbers(1, 3_000).map((index) =>
        transaction(index, put('t', `${index}`, '1'), put('u', `${index}`, '1')),
      )
      {
        await using store = await fixture.open()
        await store.append(history)
        assert.equal(await store.prune({}), 0)
        assert.equal(await store.prune({ olderThan: timeOf(1) }), 0)
        assert.equal(store.head.prunedUpTo, 0)
        assert.equal(await store.prune({ olderThan: timeOf(2_501) }), 5_000)
        assert.equal(await store.prune({ olderThan: timeOf(2_501) }), 0)
      }
      await using store = await fixture.open()
      assert.equal(store.head.index, 3_000)
      assert.equal(store.head.prunedUpTo, 2_500)
      assert.equal((await rowsOf(store)).size, 6_000)
      assert.deepEqual(await store.journal({ after: 0 }), entriesOf(history.slice(2_500)))
      assert.equal(await store.prune({ olderThan: timeOf(9_999) }), 1_000)
      assert.equal(store.head.prunedUpTo, 3_000)
      assert.deepEqual(await store.journal({ after: 0 }), [])
      await store.append([transaction(3_001, put('t', 'x', '1'))])
      assert.equal((await store.journal({ after: 0 })).length, 1)
      assert.deepEqual(await store.check(), [])
    })

    test('drops what is beyond a size, oldest first', async () => {
      await using fixture = await create()
      const text = 'x'.repeat(1_000)
      const history = numbers(1, 40).map((index) => transaction(index, put('t', 'a', text), put('t', 'b', text)))
      await using store = await fixture.open()
      await store.append(history)
      assert.equal(await store.prune({ maxBytes: 1_000_000 }), 0)
      const removed = await store.prune({ maxBytes: 20_000 })
      const left = await store.journal({ after: 0 })
      assert.equal(removed, 80 - left.length)
      assert.deepEqual(left, entriesOf(history.slice(-left.length / 2)))
      assert.equal(store.head.prunedUpTo, left[0]!.index - 1)
      assert.ok(left.length >= 16 && left.length < 20, `${left.length} entries left`)
      assert.equal(await store.prune({ maxBytes: 0 }), left.length)
    })

    test('refuses ranges and limits that are none, and goes on', async () => {
      await using fixture = await create()
      await using store = await fixture.open()
      await store.append([transaction(1, put('t', 'x', '1'))])
      for (const wrong of [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY]) {
        await assert.rejects(store.journal({ after: wrong }), RangeError)
        await assert.rejects(store.journal({ after: 0, upTo: wrong }), RangeError)
        await assert.rejects(store.journal({ after: 0, limit: wrong }), RangeError)
        await assert.rejects(store.prune({ maxBytes: wrong }), RangeError)
      }
      for (const wrong of ['', 'yesterday', '2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000+01:00']) {
        await assert.rejects(store.prune({ olderThan: wrong }), RangeError)
      }
      assert.equal((await store.journal({ after: 0 })).length, 1)
    })

    test('goes on writing while it prunes', async () => {
      await using fixture = await create()
      await using store = await fixture.open()
      await store.append(numbers(1, 5_000).map((index) => transaction(index, put('t', `${index}`, '1'))))
      const pruned = store.prune({ olderThan: timeOf(5_001) })
      for (const index of numbers(5_001, 5_020)) await store.append([transaction(index, put('t', 'x', `${index}`))])
      assert.equal(await pruned, 5_000)
      assert.equal((await store.journal({ after: 0 })).length, 20)
    })

    test('a load sees one state while writes go on', async () => {
      await using fixture = await create()
      await using store = await fixture.open()
      await store.append(numbers(1, 10_000).map((index) => transaction(index, put('t', `${index}`, 'old'))))
      const writes: Promise<void>[] = []
      let rows = 0
      await store.load((chunk) => {
        rows += chunk.length
        assert.ok(chunk.every(({ data }) => data === 'old'))
        const index = 10_000 + writes.length + 1
        writes.push(
          store.append([transaction(index, put('t', `${10_001 - writes.length}`, 'new'), put('u', `${index}`, 'new'))]),
        )
      })
      await Promise.all(writes)
      assert.equal(rows, 10_000)
      assert.ok(writes.length > 1)
    })

    test('a load that its taker ends with an error ends with that error', async () => {
      await using fixture = await create()
      await using store = await fixture.open()
      await store.append(numbers(1, 9_000).map((index) => transaction(index, put('t', `${index}`, '1'))))
      const stop = new Error('enough')
      await assert.rejects(
        store.load(() => {
          throw stop
        }),
        stop,
      )
      assert.equal((await rowsOf(store)).size, 9_000)
    })

    test('a snapshot taken during writes is a prefix of the history', async () => {
      await using fixture = await create()
      const path = join(fixture.folder, 'copy')
      await using store = await fixture.open()
      const history = numbers(1, 2_000).map((index) =>
        transaction(index, put('t', `${index % 300}`, `${index}`), put('u', `${index}`, 'x'.repeat(500))),
      )
      await store.append(history)
      let isTaken = false
      const snapshot = store.snapshot(path).finally(() => {
        isTaken = true
      })
      while (!isTaken) {
        const next = transaction(
          history.length + 1,
          put('t', `${history.length % 300}`, 'later'),
          remove('u', `${history.length}`, 'x'),
        )
        history.push(next)
        await store.append([next])
      }
      await snapshot
      await using copy = await fixture.openSnapshot(path)
      const seen = copy.head.index
      assert.ok(seen >= 2_000 && seen <= history.length)
      assert.equal(copy.head.timeline, store.head.timeline)
      assert.deepEqual(await rowsOf(copy), replay(history.slice(0, seen)))
      assert.deepEqual(await copy.journal({ after: 0 }), entriesOf(history.slice(0, seen)))
      assert.deepEqual(await copy.check(), [])
    })

    test('a snapshot that cannot be written leaves the store at work', async () => {
      await using fixture = await create()
      await using store = await fixture.open()
      await store.append([transaction(1, put('t', 'x', '1'))])
      const path = join(fixture.folder, 'copy')
      await store.snapshot(path)
      for (const wrong of [path, join(fixture.folder, 'missing', 'copy'), fixture.folder]) {
        await assert.rejects(store.snapshot(wrong), SnapshotError)
      }
      await store.append([transaction(2, put('t', 'x', '2', '1'))])
      await using copy = await fixture.openSnapshot(path)
      assert.equal(copy.head.index, 1)
    })

    test('a restored snapshot goes on from its index on a new timeline', async () => {
      await using fixture = await create()
      const history = numbers(1, 20).map((index) => transaction(index, put('t', `${index % 7}`, `${index}`)))
      const path = join(fixture.folder, 'copy')
      let timeline: string
      {
        await using store = await fixture.open()
        await store.append(history.slice(0, 12))
        await store.snapshot(path)
        await store.append(history.slice(12))
        timeline = store.head.timeline
      }
      await fixture.restore(path)
      await using store = await fixture.open()
      assert.equal(store.head.index, 12)
      assert.notEqual(store.head.timeline, timeline)
      assert.deepEqual(await rowsOf(store), replay(history.slice(0, 12)))
      assert.deepEqual(await store.journal({ after: 0 }), entriesOf(history.slice(0, 12)))
      await store.append([transaction(13, put('t', 'other', '13'))])
      assert.equal((await rowsOf(store)).get('t/other'), '13')
    })

    test('keeps 100,000 rows', async () => {
      await using fixture = await create()
      const size = 1_000
      {
        await using store = await fixture.open()
        for (let first = 1; first <= 100_000; first += size) {
          const batch = numbers(first, first + size - 1)
          await store.append(
            batch.map((index) => transaction(index, put(`t${index % 5}`, `id${index}`, `${index}:${'y'.repeat(300)}`))),
          )
        }
      }
      await using store = await fixture.open()
      let count = 0
      let sum = 0
      await store.load((rows) => {
        count += rows.length
        for (const { id, data } of rows) {
          assert.ok(data.startsWith(`${id.slice(2)}:`))
          sum += Number(id.slice(2))
        }
      })
      assert.deepEqual([count, sum], [100_000, (100_000 * 100_001) / 2])
      assert.equal((await store.journal({ after: 90_000 })).length, 10_000)
      assert.deepEqual(await store.check(), [])
    })
  })
}

/** For `assert.rejects`: a store's refusal with this code. */
export function hasCode(code: StoreError['code']) {
  return (error: unknown) => error instanceof StoreError && error.code === code
}
