/**
 * One text per JSON value: equal values, whatever the order of their members or the spelling of their numbers, have
 * equal texts.
 */
import { type JsonObject, kindOf } from './json-value.ts'
import { schemaLimits } from './schema-limits.ts'
import { BudgetExceeded, type StepBudget } from './step-budget.ts'

/** What a value or a member costs in steps: writing it out is dearer than looking at it. */
const stepsPerValue = 4

/** The canonical text of a value, paid for from a budget where there is one. */
export function canonicalJson(value: unknown, budget?: StepBudget, depth = 0): string {
  if (depth > schemaLimits.nesting)
    throw new BudgetExceeded(`Value is nested deeper than ${schemaLimits.nesting} levels`)
  budget?.spend(stepsPerValue)
  switch (kindOf(value)) {
    case 'string':
      budget?.spend((value as string).length >> 3)
      return JSON.stringify(value)
    case 'array':
      return `[${(value as readonly unknown[]).map((item) => canonicalJson(item, budget, depth + 1)).join(',')}]`
    case 'object': {
      const object = value as JsonObject
      const names = Object.keys(object).sort()
      budget?.spend(stepsPerValue * names.length)
      return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name], budget, depth + 1)}`).join(',')}}`
    }
    case 'null':
      return 'null'
    default:
      return String(value)
  }
}

/** A canonical text as the peers print it: their JSON writer escapes what could end a script element. */
export function printedJson(canonical: string): string {
  return canonical.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
