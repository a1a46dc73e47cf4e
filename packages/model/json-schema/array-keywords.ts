/** Keywords that judge lists. */
import type { Check, SchemaNode } from './schema-node.ts'
import type { SchemaReader } from './schema-reader.ts'
import { ValueIndex } from './value-index.ts'

type List = readonly unknown[]

/** `items`, as one schema for all or as a list by position, with `additionalItems` for what comes after the list. */
export function items(reader: SchemaReader): Check<List> | undefined {
  const additional = additionalItems(reader)
  if (!reader.has('items')) return undefined
  const schemas = reader.get('items')
  if (!Array.isArray(schemas)) {
    const every = reader.schema('items', 'Invalid type. Expected: valid schema/array of schemas, given: items')!
    return (list, run) => {
      for (let index = 0; index < list.length; index++) {
        const violation = run.applyAt(index, every, list[index])
        if (violation !== undefined) return violation
      }
      return undefined
    }
  }
  const positions = reader.schemas('items')
  if (positions.length === 0) return undefined
  return (list, run) => {
    for (let index = 0; index < list.length; index++) {
      const schema = positions[index] ?? additional
      if (schema === undefined) return undefined
      if (schema === 'refused') return run.fail(list, 'No additional items allowed on array')
      const violation = run.applyAt(index, schema, list[index])
      if (violation !== undefined) return violation
    }
    return undefined
  }
}

function additionalItems(reader: SchemaReader): SchemaNode | 'refused' | undefined {
  const value = reader.get('additionalItems')
  if (typeof value === 'boolean') return value ? undefined : 'refused'
  return reader.schema('additionalItems', 'Invalid type. Expected: boolean/valid schema, given: additionalItems')
}

export function minItems(reader: SchemaReader): Check<List> | undefined {
  const limit = reader.count('minItems')
  if (limit === undefined) return undefined
  return (list, run) => (list.length < limit ? run.fail(list, `Array must have at least ${limit} items`) : undefined)
}

export function maxItems(reader: SchemaReader): Check<List> | undefined {
  const limit = reader.count('maxItems')
  if (limit === undefined) return undefined
  return (list, run) => (list.length > limit ? run.fail(list, `Array must have at most ${limit} items`) : undefined)
}

export function uniqueItems(reader: SchemaReader): Check<List> | undefined {
  if (!reader.has('uniqueItems')) return undefined
  const unique = reader.get('uniqueItems')
  if (typeof unique !== 'boolean') reader.refuse('uniqueItems must be of a boolean')
  if (unique !== true) return undefined
  return (list, run) => {
    const seen = new ValueIndex()
    for (const [index, item] of list.entries()) {
      const earlier = seen.add(item, index, run.budget)
      if (earlier !== undefined) return run.fail(list, `array items[${earlier},${index}] must be unique`)
    }
    return undefined
  }
}

export function contains(reader: SchemaReader): Check<List> | undefined {
  const wanted = reader.schema('contains')
  if (wanted === undefined) return undefined
  return (list, run) => {
    for (const item of list) if (run.passes(wanted, item)) return undefined
    return run.fail(list, 'At least one of the items must match')
  }
}
