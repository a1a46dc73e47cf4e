import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMultipleOf, printedNumber } from './exact-decimal.ts'

test('multiples are those of the decimals as written', () => {
  const cases: [value: number, divisor: number, expected: boolean][] = [
    [0.3, 0.1, true],
    [1.1, 0.1, true],
    [0.35, 0.1, false],
    [-1.5, 0.5, true],
    [0, 0.7, true],
    [19.99, 0.01, true],
    [1e21, 3, false],
    [3e21, 3, true],
    [1e308, 1e-308, true],
    [5e-324, 1, false],
    [9_007_199_254_740_991, 2, false],
  ]
  for (const [value, divisor, expected] of cases)
    assert.equal(isMultipleOf(value, divisor), expected, `${value} of ${divisor}`)
})

test('limits are printed as the peers print them', () => {
  const cases: [value: number, text: string][] = [
    [65_535, '65535'],
    [999_999, '999999'],
    [1_000_000, '1e+06'],
    [1_234_567, '1.234567e+06'],
    [2_147_483_647, '2.147483647e+09'],
    [1_234_567.5, '1.2345675e+06'],
    [123_456.75, '123456.75'],
    [1e21, '1e+21'],
    [1e300, '1e+300'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [0.1, '0.1'],
    [1.5, '1.5'],
    [100, '100'],
    [0, '0'],
    [-5, '-5'],
    [-1_000_000, '-1e+06'],
  ]
  for (const [value, text] of cases) assert.equal(printedNumber(value), text)
})
