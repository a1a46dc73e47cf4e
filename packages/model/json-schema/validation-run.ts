/**
 * One validation of one document: the walk, its path and its budget.
 *
 * The peers collect every violation and report the first; the walk visits keywords in the same order and stops there.
 * Subschemas that are only tried (`anyOf`, `not`, `if`, …) run through `passes`, which builds no report.
 */
import { kindOf } from './json-value.ts'
import { schemaLimits } from './schema-limits.ts'
import type { SchemaNode, Violation } from './schema-node.ts'
import { BudgetExceeded, StepBudget } from './step-budget.ts'

const unreported: Violation = { field: '', message: '', value: undefined }

/** The state of one walk. Made for one document and thrown away. */
export class ValidationRun {
  readonly budget = new StepBudget(schemaLimits.steps)
  readonly #path: (string | number)[] = []
  #nesting = 0
  #trying = 0

  /** Judges a value by a schema. */
  apply(node: SchemaNode, value: unknown): Violation | undefined {
    const schema = node.target ?? node
    this.budget.spend(schema.weight)
    if (schema.verdict !== undefined)
      return schema.verdict ? undefined : this.fail(value, 'False always fails validation')

    const kind = kindOf(value)
    if (kind === 'number' && !Number.isFinite(value)) return this.fail(value, 'Number is out of range')
    const given = typeof value === 'number' && Number.isInteger(value) ? 'integer' : kind
    if (schema.types.length > 0 && !acceptsType(schema.types, given)) {
      const expected = schema.types.length === 1 ? schema.types[0] : `[${schema.types.join(',')}]`
      return this.fail(value, `Invalid type. Expected: ${expected}, given: ${given}`)
    }

    if (++this.#nesting > schemaLimits.nesting) {
      throw new BudgetExceeded(`Validation goes through more than ${schemaLimits.nesting} nested schemas`)
    }
    let violation: Violation | undefined
    for (const check of schema.checks[kind]) {
      violation = check(value, this)
      if (violation !== undefined) break
    }
    this.#nesting--
    return violation
  }

  /** Judges a member or an item of the current value. */
  applyAt(step: string | number, node: SchemaNode, value: unknown): Violation | undefined {
    this.#path.push(step)
    const violation = this.apply(node, value)
    this.#path.pop()
    return violation
  }

  /** Whether a value passes a schema, when nobody needs to know why not. */
  passes(node: SchemaNode, value: unknown): boolean {
    this.#trying++
    const violation = this.apply(node, value)
    this.#trying--
    return violation === undefined
  }

  /** Reports a violation at the current path; texts that repeat the field are functions of it. */
  fail(value: unknown, description: string | ((field: string) => string)): Violation {
    if (this.#trying > 0) return unreported
    const field = this.#path.length === 0 ? '(root)' : this.#path.join('.')
    return { field, message: `${field}: ${typeof description === 'string' ? description : description(field)}`, value }
  }
}

function acceptsType(types: readonly string[], given: string): boolean {
  return types.includes(given) || (given === 'integer' && types.includes('number'))
}
