import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '../state/row.ts'
import { RecentTexts } from './recent-texts.ts'

const [one, other] = [{}, {}]
const text = 'ten chars.'
const rowOf = (id: string) => ({ id }) as Row
const rowsTo = (count: number) => Array.from({ length: count }, (_, at) => rowOf(String(at)))

function ask(texts: RecentTexts, row: Row): boolean {
  const isFound = texts.get(row, one) !== undefined
  if (!isFound) texts.set(row, one, text)
  return isFound
}

test('a text is found for its row and its maker only', () => {
  const texts = new RecentTexts(100)
  const row = rowOf('a')
  texts.set(row, one, text)
  assert.equal(texts.get(row, one), text)
  assert.equal(texts.get(row, other), undefined)
  assert.equal(texts.get(rowOf('a'), one), undefined)
})

test('it keeps no more than twice its bound, and what is asked for stays', () => {
  const texts = new RecentTexts(100)
  const rows = rowsTo(50)
  for (const row of rows) {
    ask(texts, row)
    ask(texts, rows[0]!)
  }
  assert.equal(ask(texts, rows[0]!), true)
  assert.ok(rows.filter((row) => texts.get(row, one) !== undefined).length <= 20)
})

test('what fits is found again, also after a time of asking for more than fits', () => {
  const texts = new RecentTexts(1_000)
  for (let times = 0; times < 20; times++) for (const row of rowsTo(500)) ask(texts, row)
  const fitting = rowsTo(50)
  for (let times = 0; times < 40; times++) for (const row of fitting) ask(texts, row)
  assert.ok(fitting.every((row) => ask(texts, row)))
})
