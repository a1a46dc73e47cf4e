/** Keywords that judge objects. Members are looked up as own members: `constructor` in a document is just a name. */
import { isJsonObject, type JsonObject } from './json-value.ts'
import type { Check, SchemaNode } from './schema-node.ts'
import type { SchemaReader } from './schema-reader.ts'

const { hasOwn, keys } = Object

export function minProperties(reader: SchemaReader): Check<JsonObject> | undefined {
  const limit = reader.count('minProperties')
  if (limit === undefined) return undefined
  const maximum = reader.count('maxProperties')
  if (maximum !== undefined && limit > maximum) reader.refuse('minProperties cannot be greater than maxProperties')
  return (object, run) => {
    const size = keys(object).length
    run.budget.spend(size)
    return size < limit ? run.fail(object, `Must have at least ${limit} properties`) : undefined
  }
}

export function maxProperties(reader: SchemaReader): Check<JsonObject> | undefined {
  const limit = reader.count('maxProperties')
  if (limit === undefined) return undefined
  return (object, run) => {
    const size = keys(object).length
    run.budget.spend(size)
    return size > limit ? run.fail(object, `Must have at most ${limit} properties`) : undefined
  }
}

export function required(reader: SchemaReader): Check<JsonObject> | undefined {
  const names = new Set<string>()
  for (const name of reader.list('required') ?? []) {
    if (typeof name !== 'string') reader.refuse('required items must be string')
    if (names.has(name as string)) reader.refuse('required items must be unique')
    names.add(name as string)
  }
  if (names.size === 0) return undefined
  reader.addWeight(names.size)
  return (object, run) => {
    for (const name of names) if (!hasOwn(object, name)) return run.fail(object, `${name} is required`)
    return undefined
  }
}

/** `patternProperties`, and `additionalProperties` for the members that neither it nor `properties` describes. */
export function describedMembers(reader: SchemaReader): Check<JsonObject> | undefined {
  const named = new Set(reader.entries('properties', 'properties must be of type object').map(([name]) => name))
  const patterns = reader
    .entries('patternProperties', 'Invalid type. Expected: valid schema, given: patternProperties')
    .map(([source, schema]) => ({
      pattern: reader.pattern(source, `Invalid regex pattern '${source}'`),
      schema: reader.subschema(schema, 'patternProperties', source),
    }))
  const additional = additionalProperties(reader)
  if (patterns.length === 0 && additional === undefined) return undefined
  return (object, run) => {
    const names = keys(object)
    run.budget.spend(names.length * (1 + patterns.length))
    for (const name of names) {
      let described = named.has(name)
      for (const { pattern, schema } of patterns) {
        if (!pattern.occursIn(name, run.budget)) continue
        described = true
        const violation = run.applyAt(name, schema, object[name])
        if (violation !== undefined) return violation
      }
      if (described || additional === undefined) continue
      if (additional === 'refused') return run.fail(object[name], `Additional property ${name} is not allowed`)
      const violation = run.applyAt(name, additional, object[name])
      if (violation !== undefined) return violation
    }
    return undefined
  }
}

function additionalProperties(reader: SchemaReader): SchemaNode | 'refused' | undefined {
  const value = reader.get('additionalProperties')
  if (typeof value === 'boolean') return value ? undefined : 'refused'
  return reader.schema(
    'additionalProperties',
    'Invalid type. Expected: boolean/valid schema, given: additionalProperties',
  )
}

export function propertyNames(reader: SchemaReader): Check<JsonObject> | undefined {
  const schema = reader.schema('propertyNames', 'Invalid type. Expected: valid schema, given: propertyNames')
  if (schema === undefined) return undefined
  return (object, run) => {
    for (const name of keys(object)) {
      if (!run.passes(schema, name)) return run.fail(object, `Property name of "${name}" does not match`)
    }
    return undefined
  }
}

export function properties(reader: SchemaReader): Check<JsonObject> | undefined {
  const members = reader
    .entries('properties', 'properties must be of type object')
    .map(([name, schema]) => ({ name, schema: reader.subschema(schema, 'properties', name) }))
  if (members.length === 0) return undefined
  reader.addWeight(members.length)
  return (object, run) => {
    for (const { name, schema } of members) {
      if (!hasOwn(object, name)) continue
      const violation = run.applyAt(name, schema, object[name])
      if (violation !== undefined) return violation
    }
    return undefined
  }
}

/** What else must hold when a member is there: further members, or a schema for the whole object. */
export function dependencies(reader: SchemaReader): Check<JsonObject> | undefined {
  const rules = reader.entries('dependencies', 'dependencies must be of type object').map(([name, rule]) => {
    if (typeof rule === 'boolean' || isJsonObject(rule)) {
      const schema = reader.subschema(rule, 'dependencies', name)
      reader.onSameValue([schema])
      return { name, schema }
    }
    if (!Array.isArray(rule) || !rule.every((needed) => typeof needed === 'string')) {
      reader.refuse('dependency must be of type schema or array of strings')
    }
    reader.addWeight((rule as string[]).length)
    return { name, needs: [...(rule as string[])] }
  })
  if (rules.length === 0) return undefined
  reader.addWeight(rules.length)
  return (object, run) => {
    for (const rule of rules) {
      if (!hasOwn(object, rule.name)) continue
      if (rule.schema !== undefined) {
        const violation = run.apply(rule.schema, object)
        if (violation !== undefined) return violation
      } else {
        const missing = rule.needs.find((needed) => !hasOwn(object, needed))
        if (missing !== undefined) return run.fail(object, `Has a dependency on ${missing}`)
      }
    }
    return undefined
  }
}
