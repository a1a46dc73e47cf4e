/**
 * A regular expression of a schema, in the peers' syntax (RE2), matched in linear time within a budget.
 *
 * The matcher builds its automaton while it reads. A text that stays inside what is built costs some nanoseconds per
 * character; one that adds to it costs in proportion to the program. The second price is paid in advance, and what
 * turned out to be the first is given back, so that neither a hostile text nor many ordinary ones are misjudged.
 */
import { RE2JS } from 're2js'
import type { StepBudget } from './step-budget.ts'

/**
 * Steps per character and instruction, and per character alone, as measured with patterns that keep the automaton growing:
 * large programs take up to 170 ns for an instruction and a character (`(a?){500}a{500}`).
 */
const stepsPerInstruction = 3
const stepsPerCharacter = 32
/** Which part of the advance is kept when the automaton did not grow; new transitions are not visible from outside. */
const keptShare = 1 / 8
/** What an automaton may hold between two texts. Reached only by patterns that would otherwise grow to megabytes. */
const keptAutomatonBytes = 256 * 1024

/** A compiled regular expression. */
export class Pattern {
  /** The expression as it was written. */
  readonly source: string
  readonly #expression: RE2JS
  readonly #stepsPerCharacter: number

  /** Throws what the expression's parser throws when `source` is not one. Check its weight before. */
  constructor(source: string) {
    this.source = source
    this.#expression = RE2JS.compile(source)
    this.#stepsPerCharacter = stepsPerInstruction * this.#expression.programSize() + stepsPerCharacter
  }

  /** Whether the expression occurs anywhere in a text. */
  occursIn(text: string, budget: StepBudget): boolean {
    const advance = (text.length + 1) * this.#stepsPerCharacter
    budget.spend(advance)
    const statesBefore = this.#expression.re2().lazyDFA?.stateCount ?? 0
    const occurs = this.#expression.test(text)
    const automaton = this.#expression.re2().lazyDFA ?? undefined
    if (automaton === undefined) {
      budget.refund(Math.floor(advance * (1 - keptShare)))
      return occurs
    }
    // The matcher forgets its start states when it runs out of memory and starts over.
    const grew = automaton.stateCount !== statesBefore || automaton.startStates.size === 0
    if (!grew) budget.refund(Math.floor(advance * (1 - keptShare)))
    if (automaton.maxMem - automaton.memBudget > keptAutomatonBytes) automaton.clearCache()
    return occurs
  }
}
