/**
 * Numbers as the decimals their authors wrote.
 *
 * `0.3` is a multiple of `0.1` to a reader and to the peers, which keep rationals, but not in binary fractions. The
 * shortest decimal of a double is what was written, so arithmetic on it is exact; exponents end at 308, so it is bounded.
 */

/** Whether a number is a whole multiple of a positive number. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const left = decimalOf(value)
  const right = decimalOf(divisor)
  const exponent = Math.min(left.exponent, right.exponent)
  const scaled = left.digits * 10n ** BigInt(left.exponent - exponent)
  return scaled % (right.digits * 10n ** BigInt(right.exponent - exponent)) === 0n
}

/** A limit as the peers print it: plain up to six digits before the point, then with an exponent (`1e+06`). */
export function printedNumber(value: number): string {
  if (value === 0) return '0'
  const [mantissa = '', exponentText = '0'] = Math.abs(value).toExponential().split('e')
  const exponent = Number(exponentText)
  const sign = value < 0 ? '-' : ''
  if (exponent >= -4 && exponent < 6) return sign + plain(mantissa.replace('.', ''), exponent)
  const digits = Math.abs(exponent).toString().padStart(2, '0')
  return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`
}

function plain(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = digits.slice(exponent + 1)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

function decimalOf(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '0', exponent = '0'] = value.toExponential().split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}
