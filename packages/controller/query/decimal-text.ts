/** Numbers as the peers write them: filters compare numbers with text, and refusals quote them. */

/** The shortest digits that read back as this number, and where the decimal point stands among them. */
function digitsOf(value: number): { sign: string; digits: string; point: number } {
  const [mantissa, exponent] = Math.abs(value).toExponential().split('e') as [string, string]
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  return { sign, digits: mantissa.replace('.', ''), point: Number(exponent) + 1 }
}

/** A number without exponent: the text form that strings are compared with. */
export function plainDecimal(value: number): string {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value)
  const { sign, digits, point } = digitsOf(value)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (digits.length <= point) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** A floating-point number as refusals quote it: with an exponent of two digits or more where it is far from 1. */
export function quotedFloat(value: number): string {
  const { sign, digits, point } = digitsOf(value)
  const exponent = point - 1
  if (value === 0 || (exponent >= -4 && exponent < 6)) return plainDecimal(value)
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ''
  const size = String(Math.abs(exponent)).padStart(2, '0')
  return `${sign}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${size}`
}
