import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareBytes, isUnitOrdered } from './byte-order.ts'

/** In ascending order of UTF-8 bytes. */
const ascending = [
  '',
  '"',
  'A',
  'AB',
  'Z',
  'a',
  'ab',
  'é',
  'éa',
  '\ud7ff',
  '\ue000',
  '\uffee',
  '\u{10000}',
  '😀',
  '😀a',
  '😁',
]

test('orders text by its bytes', () => {
  for (const [left, a] of ascending.entries()) {
    for (const [right, b] of ascending.entries()) {
      const message = `${JSON.stringify(a)} and ${JSON.stringify(b)}`
      assert.equal(Math.sign(compareBytes(a, b)), Math.sign(left - right), message)
      assert.equal(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))), Math.sign(left - right), message)
    }
  }
})

test('knows next to which text the plain comparison is right', () => {
  for (const literal of ascending.filter(isUnitOrdered)) {
    for (const text of ascending) assert.equal(text < literal, compareBytes(text, literal) < 0)
  }
  assert.deepEqual(ascending.filter((text) => !isUnitOrdered(text)).length, 6)
})
