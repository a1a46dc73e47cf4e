/** Thrown inside a validation that used up its budget; `compileSchema(…).validate` turns it into a violation. */
export class BudgetExceeded extends Error {}

/** A number of steps that can be spent. Whoever does work in proportion to its input pays before doing it. */
export class StepBudget {
  readonly #total: number
  #left: number

  constructor(steps: number) {
    this.#total = steps
    this.#left = steps
  }

  /** How many steps are left. */
  get left(): number {
    return this.#left
  }

  /** Takes steps, or throws {@link BudgetExceeded} when there are not as many left. */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new BudgetExceeded(`Validation takes more than ${this.#total} steps`)
  }

  /** Gives back steps that were paid in advance and turned out not to be needed. */
  refund(steps: number): void {
    this.#left += steps
  }
}
