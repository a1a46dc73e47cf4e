/** Keywords that judge numbers. */
import { isMultipleOf, printedNumber } from './exact-decimal.ts'
import type { Check } from './schema-node.ts'
import type { SchemaReader } from './schema-reader.ts'

/** Big integers take some microseconds. */
const stepsOfExactDivision = 100

export function multipleOf(reader: SchemaReader): Check<number> | undefined {
  const divisor = reader.number('multipleOf', 'Invalid type. Expected: number, given: multipleOf')
  if (divisor === undefined) return undefined
  if (divisor <= 0) reader.refuse('multipleOf must be strictly greater than 0')
  return (value, run) => {
    const isPlain = Number.isSafeInteger(value) && Number.isSafeInteger(divisor)
    run.budget.spend(isPlain ? 1 : stepsOfExactDivision)
    return isMultipleOf(value, divisor) ? undefined : run.fail(value, `Must be a multiple of ${printedNumber(divisor)}`)
  }
}

export function maximum(reader: SchemaReader): Check<number> | undefined {
  const limit = reader.number('maximum')
  if (limit === undefined || reader.get('exclusiveMaximum') === true) return undefined
  return (value, run) =>
    value > limit ? run.fail(value, `Must be less than or equal to ${printedNumber(limit)}`) : undefined
}

export function exclusiveMaximum(reader: SchemaReader): Check<number> | undefined {
  const limit = exclusiveLimit(reader, 'exclusiveMaximum', 'maximum')
  if (limit === undefined) return undefined
  return (value, run) => (value >= limit ? run.fail(value, `Must be less than ${printedNumber(limit)}`) : undefined)
}

export function minimum(reader: SchemaReader): Check<number> | undefined {
  const limit = reader.number('minimum')
  if (limit === undefined || reader.get('exclusiveMinimum') === true) return undefined
  return (value, run) =>
    value < limit ? run.fail(value, `Must be greater than or equal to ${printedNumber(limit)}`) : undefined
}

export function exclusiveMinimum(reader: SchemaReader): Check<number> | undefined {
  const limit = exclusiveLimit(reader, 'exclusiveMinimum', 'minimum')
  if (limit === undefined) return undefined
  return (value, run) => (value <= limit ? run.fail(value, `Must be greater than ${printedNumber(limit)}`) : undefined)
}

/** Draft-04 schemas say `true` here and put the number beside it; later ones give the number itself. */
function exclusiveLimit(reader: SchemaReader, keyword: string, inclusive: string): number | undefined {
  const value = reader.get(keyword)
  if (typeof value !== 'boolean') {
    return reader.number(keyword, `Invalid type. Expected: boolean/number, given: ${keyword}`)
  }
  if (!reader.has(inclusive)) reader.refuse(`${keyword} cannot be used without ${inclusive}`)
  return value ? reader.number(inclusive) : undefined
}
