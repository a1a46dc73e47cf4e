/** Keywords that apply further schemas to the same value. */
import type { Check } from './schema-node.ts'
import type { SchemaReader } from './schema-reader.ts'

export function anyOf(reader: SchemaReader): Check | undefined {
  const branches = reader.schemas('anyOf')
  if (branches.length === 0) return undefined
  reader.onSameValue(branches)
  return (value, run) => {
    for (const branch of branches) if (run.passes(branch, value)) return undefined
    return run.fail(value, 'Must validate at least one schema (anyOf)')
  }
}

export function oneOf(reader: SchemaReader): Check | undefined {
  const branches = reader.schemas('oneOf')
  if (branches.length === 0) return undefined
  reader.onSameValue(branches)
  return (value, run) => {
    let passed = 0
    for (const branch of branches) if (run.passes(branch, value) && ++passed > 1) break
    return passed === 1 ? undefined : run.fail(value, 'Must validate one and only one schema (oneOf)')
  }
}

/** The first violation of a branch is reported itself: the peers put it before the remark that a branch failed. */
export function allOf(reader: SchemaReader): Check | undefined {
  const branches = reader.schemas('allOf')
  if (branches.length === 0) return undefined
  reader.onSameValue(branches)
  return (value, run) => {
    for (const branch of branches) {
      const violation = run.apply(branch, value)
      if (violation !== undefined) return violation
    }
    return undefined
  }
}

export function not(reader: SchemaReader): Check | undefined {
  const excluded = reader.schema('not', 'not must be of an object')
  if (excluded === undefined) return undefined
  reader.onSameValue([excluded])
  return (value, run) =>
    run.passes(excluded, value) ? run.fail(value, 'Must not validate the schema (not)') : undefined
}

export function ifThenElse(reader: SchemaReader): Check | undefined {
  const condition = reader.schema('if', 'if must be of an object')
  const consequence = reader.schema('then', 'then must be of an object')
  const alternative = reader.schema('else', 'else must be of an object')
  if (condition === undefined || (consequence === undefined && alternative === undefined)) return undefined
  reader.onSameValue([condition, consequence, alternative].filter((node) => node !== undefined))
  return (value, run) => {
    if (run.passes(condition, value)) {
      if (consequence === undefined || run.passes(consequence, value)) return undefined
      return run.fail(value, 'Must validate "then" as "if" was valid')
    }
    if (alternative === undefined || run.passes(alternative, value)) return undefined
    return run.fail(value, 'Must validate "else" as "if" was not valid')
  }
}
