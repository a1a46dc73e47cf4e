/**
 * A regular expression that somebody outside has written, in the peers' syntax (RE2) and matched in linear time: no
 * expression and no text makes it slow.
 */
import { RE2JS } from 're2js'
import { patternWeight } from './json-schema/pattern-weight.ts'

const LONGEST = 4_096
const HEAVIEST = 20_000

/** The expression is none, or would take too much memory. */
export class SearchPatternError extends Error {
  override readonly name = 'SearchPatternError'
}

export class SearchPattern {
  readonly source: string
  readonly #expression: RE2JS

  /** Throws `SearchPatternError`, in the words of the peers' parser where that has refused it. */
  constructor(source: string) {
    if (source.length > LONGEST || patternWeight(source) > HEAVIEST) {
      throw new SearchPatternError('the regular expression is too large')
    }
    this.source = source
    try {
      this.#expression = RE2JS.compile(source)
    } catch (error) {
      throw new SearchPatternError((error as Error).message, { cause: error })
    }
  }

  /** Whether it occurs anywhere in a text. */
  occursIn(text: string): boolean {
    return this.#expression.test(text)
  }
}
