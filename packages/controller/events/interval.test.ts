import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseInterval } from './interval.ts'

const cases: readonly (readonly [string, number | undefined])[] = [
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['250ms', 250],
  ['1s500ms', 1_500],
  ['0s', 0],
  ['', undefined],
  ['5', undefined],
  ['m', undefined],
  ['5 m', undefined],
  ['5m ', undefined],
  ['x5m', undefined],
  ['5mx', undefined],
  ['-5m', undefined],
  ['1'.repeat(70), undefined],
]

for (const [text, milliseconds] of cases) {
  test(`${JSON.stringify(text)} is ${milliseconds}`, () => assert.equal(parseInterval(text), milliseconds))
}
