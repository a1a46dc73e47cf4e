import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from './row.ts'
import { SortedRows } from './sorted-rows.ts'

interface Named extends Row {
  readonly name: string
}

const named = (id: string, name: string) => ({ id, name }) as Named
const byName = () => new SortedRows((row) => (row as Named).name)
const ids = (rows: Iterable<Row>) => [...rows].map(({ id }) => id)

/** Small numbers that are the same in every run. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test('rows stay in the order of their names and then of their ids, whatever happens', () => {
  const next = random(1)
  const sorted = byName()
  const present = new Map<string, Named>()
  for (let at = 0; at < 1_500; at++) present.set(`i${at}`, named(`i${at}`, `n${next(400)}`))
  sorted.fill(present.values())
  for (let step = 0; step < 4_000; step++) {
    const id = `i${next(3_000)}`
    const before = present.get(id)
    const after = next(3) === 0 ? undefined : named(id, next(2) === 0 && before ? before.name : `n${next(400)}`)
    sorted.exchange(before, after)
    if (after === undefined) present.delete(id)
    else present.set(id, after)
  }
  const order = (a: Named, b: Named) => (a.name === b.name ? (a.id < b.id ? -1 : 1) : a.name < b.name ? -1 : 1)
  const expected = [...present.values()].sort(order)
  assert.deepEqual(ids(sorted.walk()), ids(expected))
  assert.ok(expected.every((row, at) => sorted.walk().drop(at).next().value === row))
})

test('a walk begins where it is told, also in the middle of itself and beyond the end', () => {
  const sorted = byName()
  const rows = Array.from({ length: 2_000 }, (_, at) => named(`i${at}`, `n${String(at).padStart(4, '0')}`))
  sorted.fill(rows)
  for (const from of [0, 1, 511, 512, 513, 1_024, 1_999, 2_000, 5_000]) {
    assert.deepEqual(ids(sorted.walk().drop(from).take(3)), ids(rows.slice(from, from + 3)), String(from))
  }
  const walk = sorted.walk()
  walk.next()
  assert.equal(walk.drop(600).next().value?.id, 'i601')
  assert.deepEqual(ids(byName().walk().drop(1)), [])
})
