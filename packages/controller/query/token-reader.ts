/** Walks the tokens of a filter and says where it stops being one. */
import { FilterError, placeOf } from './filter-error.ts'
import { type Token, type TokenKind, tokenize } from './lexer.ts'

export class TokenReader {
  readonly #text: string
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = tokenize(text)
  }

  /** The next token; after the last one, still the last, which is of kind `end`. */
  get next(): Token {
    return this.#tokens[Math.min(this.#at, this.#tokens.length - 1)]!
  }

  isNext(...kinds: readonly TokenKind[]): boolean {
    return kinds.includes(this.next.kind)
  }

  /** Takes the next token, which must be of one of these kinds. */
  take<Kind extends TokenKind>(...kinds: readonly Kind[]): Token & { readonly kind: Kind } {
    const { next } = this
    if (!isOf(next, kinds)) throw this.unexpected()
    this.#at++
    return next
  }

  takeSpace(): void {
    this.take('space')
  }

  /** Takes whitespace if there is some; says whether there was. */
  skipSpace(): boolean {
    if (!this.isNext('space')) return false
    this.#at++
    return true
  }

  /** Takes whitespace if one of these kinds follows it; says whether it does. */
  skipSpaceBefore(...kinds: readonly TokenKind[]): boolean {
    const following = this.#tokens[this.#at + 1]
    if (!this.isNext('space') || following === undefined || !kinds.includes(following.kind)) return false
    this.#at++
    return true
  }

  /** The refusal of the next token. */
  unexpected(): FilterError {
    const { text } = this.next
    const place = this.#place()
    const { line, column } = place
    const where = `at line: ${line} column: ${column}. line: ${line}, column: ${column}, symbol: ${text}`
    return new FilterError(`Unexpected symbol: "${text}" ${where}`, place)
  }

  /** A refusal at the next token for another reason. */
  refusal(message: string): FilterError {
    return new FilterError(message, this.#place())
  }

  #place() {
    return placeOf(this.#text, this.next.start)
  }
}

function isOf<Kind extends TokenKind>(token: Token, kinds: readonly Kind[]): token is Token & { readonly kind: Kind } {
  return kinds.includes(token.kind as Kind)
}
