/** Keywords that compare a value of any kind with given ones. */
import { canonicalJson, printedJson } from './canonical-json.ts'
import type { Check } from './schema-node.ts'
import type { SchemaReader } from './schema-reader.ts'

export function constant(reader: SchemaReader): Check | undefined {
  if (!reader.has('const')) return undefined
  const allowed = canonicalJson(reader.get('const'))
  const printed = printedJson(allowed)
  return (value, run) => {
    if (canonicalJson(value, run.budget) === allowed) return undefined
    return run.fail(value, (field) => `${field} does not match: ${printed}`)
  }
}

export function enumeration(reader: SchemaReader): Check | undefined {
  const values = reader.list('enum')
  if (values === undefined || values.length === 0) return undefined
  const allowed = new Set(values.map((value) => canonicalJson(value)))
  if (allowed.size < values.length) reader.refuse('enum items must be unique')
  const printed = [...allowed].map(printedJson).join(', ')
  return (value, run) => {
    if (allowed.has(canonicalJson(value, run.budget))) return undefined
    return run.fail(value, (field) => `${field} must be one of the following: ${printed}`)
  }
}
