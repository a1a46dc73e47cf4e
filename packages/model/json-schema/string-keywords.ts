/** Keywords that judge strings. Lengths count characters, not UTF-16 units. */
import { isIPv4, isIPv6 } from 'node:net'
import type { Check } from './schema-node.ts'
import type { SchemaReader } from './schema-reader.ts'

/**
 * The formats that are enforced; every other is a remark. The built-in config types tell the two kinds of address
 * translation apart by them, whereas their `idn-hostname` fields hold wildcards and CIDRs on purpose.
 */
const enforcedFormats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['ipv4', isIPv4],
  ['ipv6', (text: string) => isIPv6(text) && !text.includes('%')],
])

export function format(reader: SchemaReader): Check<string> | undefined {
  const name = reader.get('format')
  if (!reader.has('format')) return undefined
  if (typeof name !== 'string') reader.refuse('format must be of type string')
  const conforms = enforcedFormats.get(name as string)
  if (conforms === undefined) return undefined
  return (text, run) => (conforms(text) ? undefined : run.fail(text, `Does not match format '${name}'`))
}

export function minLength(reader: SchemaReader): Check<string> | undefined {
  const limit = reader.count('minLength')
  if (limit === undefined) return undefined
  const maximum = reader.count('maxLength')
  if (maximum !== undefined && limit > maximum) reader.refuse('minLength cannot be greater than maxLength')
  return (text, run) => {
    run.budget.spend(text.length >> 4)
    if (text.length >= limit && (text.length >= 2 * limit || characters(text) >= limit)) return undefined
    return run.fail(text, `String length must be greater than or equal to ${limit}`)
  }
}

export function maxLength(reader: SchemaReader): Check<string> | undefined {
  const limit = reader.count('maxLength')
  if (limit === undefined) return undefined
  return (text, run) => {
    run.budget.spend(text.length >> 4)
    if (text.length <= limit || (text.length <= 2 * limit && characters(text) <= limit)) return undefined
    return run.fail(text, `String length must be less than or equal to ${limit}`)
  }
}

export function pattern(reader: SchemaReader): Check<string> | undefined {
  if (!reader.has('pattern')) return undefined
  const source = reader.get('pattern')
  if (typeof source !== 'string') reader.refuse('pattern must be of a string')
  const expression = reader.pattern(source as string, 'pattern must be a valid regex')
  return (text, run) =>
    expression.occursIn(text, run.budget) ? undefined : run.fail(text, `Does not match pattern '${expression.source}'`)
}

function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
