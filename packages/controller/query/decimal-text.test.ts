import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainDecimal, quotedFloat } from './decimal-text.ts'

const cases: [value: number, plain: string, quoted: string][] = [
  [0, '0', '0'],
  [-0, '-0', '-0'],
  [5, '5', '5'],
  [-1.5, '-1.5', '-1.5'],
  [123456.5, '123456.5', '123456.5'],
  [1e6, '1000000', '1e+06'],
  [100000000.5, '100000000.5', '1.000000005e+08'],
  [1e20, '100000000000000000000', '1e+20'],
  [1e23, '100000000000000000000000', '1e+23'],
  [12345678901234567000, '12345678901234567000', '1.2345678901234567e+19'],
  [0.00012, '0.00012', '0.00012'],
  [1e-5, '0.00001', '1e-05'],
  [-2.5e-7, '-0.00000025', '-2.5e-07'],
  [1e-300, `0.${'0'.repeat(299)}1`, '1e-300'],
]

for (const [value, plain, quoted] of cases) {
  test(`writes ${value}`, () => {
    assert.equal(plainDecimal(value), plain)
    assert.equal(quotedFloat(value), quoted)
  })
}
