/**
 * Finds JSON values among others without comparing them one by one: `enum`, `const` and `uniqueItems` are look-ups.
 * Scalars are found as themselves, lists and objects by their canonical text; the two never mix.
 */
import { canonicalJson } from './canonical-json.ts'
import type { StepBudget } from './step-budget.ts'

/** JSON values with the positions they were added at. */
export class ValueIndex {
  readonly #scalars = new Map<unknown, number>()
  readonly #texts = new Map<string, number>()

  /** Remembers the position of a value, unless an equal one is there; then the earlier position is returned. */
  add(value: unknown, position: number, budget?: StepBudget): number | undefined {
    budget?.spend(scalarSteps(value))
    if (isScalar(value)) return remember(this.#scalars, value ?? null, position)
    return remember(this.#texts, canonicalJson(value, budget), position)
  }

  /** Whether an equal value was added. */
  has(value: unknown, budget: StepBudget): boolean {
    budget.spend(scalarSteps(value))
    if (isScalar(value)) return this.#scalars.has(value ?? null)
    return this.#texts.size > 0 && this.#texts.has(canonicalJson(value, budget))
  }
}

function remember<Key>(positions: Map<Key, number>, key: Key, position: number): number | undefined {
  const earlier = positions.get(key)
  if (earlier === undefined) positions.set(key, position)
  return earlier
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function scalarSteps(value: unknown): number {
  return typeof value === 'string' ? 2 + (value.length >> 5) : 2
}
