import assert from 'node:assert/strict'
import { test } from 'node:test'
import { put, transaction } from '../sample-history.ts'
import { countChanges, longestText, packBatch } from './batch.ts'

test('a batch is one flat list', () => {
  const history = [transaction(8), transaction(9, put('t', 'x', '1', '0'))]
  const { time, cause } = history[1]!
  assert.deepEqual(packBatch(history, 7).slice(5), [9, time, cause, 1, 't', 'x', '1', '0', '1'])
  assert.equal(countChanges(history), 1)
})

test('a text may be as long as the limit and no longer', () => {
  const longest = 'x'.repeat(longestText)
  assert.equal(packBatch([transaction(1, put('t', 'x', longest))], 0).length, 10)
  assert.throws(() => packBatch([transaction(1, put('t', 'x', `${longest}x`))], 0), RangeError)
})
