/** Keywords that compare a value of any kind with given ones. */
import { canonicalJson, printedJson } from './canonical-json.ts'
import type { Check } from './schema-node.ts'
import type { SchemaReader } from './schema-reader.ts'
import { ValueIndex } from './value-index.ts'

export function constant(reader: SchemaReader): Check | undefined {
  if (!reader.has('const')) return undefined
  const allowed = new ValueIndex()
  allowed.add(reader.get('const'), 0)
  const printed = shortened(printedJson(canonicalJson(reader.get('const'))))
  return (value, run) => {
    if (allowed.has(value, run.budget)) return undefined
    return run.fail(value, (field) => `${field} does not match: ${printed}`)
  }
}

export function enumeration(reader: SchemaReader): Check | undefined {
  const values = reader.list('enum')
  if (values === undefined || values.length === 0) return undefined
  const allowed = new ValueIndex()
  for (const [position, value] of values.entries()) {
    if (allowed.add(value, position) !== undefined) reader.refuse('enum items must be unique')
  }
  const printed = shortened(values.map((value) => printedJson(canonicalJson(value))).join(', '))
  return (value, run) => {
    if (allowed.has(value, run.budget)) return undefined
    return run.fail(value, (field) => `${field} must be one of the following: ${printed}`)
  }
}

const LONGEST_LIST = 1_000

/** A schema may allow thousands of values; a refusal need not repeat them all. */
function shortened(printed: string): string {
  return printed.length > LONGEST_LIST ? `${printed.slice(0, LONGEST_LIST)}…` : printed
}
