/**
 * Filter text into tokens: the longest match wins, keywords are case-insensitive, whitespace is a token because the
 * grammar asks for it in some places and forbids it in others.
 *
 * Two habits of the peers (2.1) are kept, since clients send such filters: characters that begin no token are skipped
 * together with the one that proved it, and `not in`, `not between`, `not contains`, `not icontains` are single tokens.
 */
import { FilterError } from './filter-error.ts'

export type TokenKind =
  | 'space'
  | '('
  | ')'
  | '['
  | ']'
  | ','
  | 'order'
  | 'equality'
  | 'contains'
  | 'icontains'
  | 'in'
  | 'between'
  | 'and'
  | 'or'
  | 'not'
  | 'bool'
  | 'null'
  | 'string'
  | 'number'
  | 'datetime'
  | 'bare datetime'
  | 'allof'
  | 'anyof'
  | 'count'
  | 'isempty'
  | 'sort'
  | 'by'
  | 'asc'
  | 'desc'
  | 'skip'
  | 'limit'
  | 'none'
  | 'where'
  | 'from'
  | 'identifier'
  | 'end'

/** A token and where it begins. A run of whitespace is one token whose text is its first character. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly start: number
}

export const maxFilterBytes = 16 * 1024
export const maxTokens = 2000

const keywords = new Map<string, TokenKind>([
  ['true', 'bool'],
  ['false', 'bool'],
  ...(
    [
      'and',
      'or',
      'not',
      'in',
      'between',
      'contains',
      'icontains',
      'null',
      'allof',
      'anyof',
      'count',
      'isempty',
      'sort',
      'by',
      'asc',
      'desc',
      'skip',
      'limit',
      'none',
      'where',
      'from',
    ] as const
  ).map((word): [string, TokenKind] => [word, word]),
])

const word = /[A-Za-z][A-Za-z_]*(?:\.[A-Za-z][A-Za-z_-]*)*/y
const negated = /not(?:[ \t\r\n]+(contains|icontains|between)|[ \t\r\n](in))/iy
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[Ee][+-]?(?:0|[1-9][0-9]*))?/y
const whitespace = /[ \t\r\n]+/y
const digits = /[0-9]+/y
const afterYear = new RegExp(
  [
    /-(?:0[1-9]|1[012])-(?:0[1-9]|[12][0-9]|3[01])/, // month and day
    /[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]+)?/, // time of day
    /(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])/, // offset
  ]
    .map(({ source }) => source)
    .join(''),
  'y',
)
const datetimeStart = /datetime\([ \t\r\n]*(?=[0-9])/y
const datetimeEnd = /[ \t\r\n]*\)/y

/** The tokens of a filter, the last one of kind `end`. Refuses a text that is too long. */
export function tokenize(text: string): Token[] {
  if (text.length > maxFilterBytes || Buffer.byteLength(text) > maxFilterBytes) {
    throw new FilterError(`filter is longer than ${maxFilterBytes} bytes`)
  }
  return new Lexer(text).run()
}

/** What begins at a place: a token that ends before `end`, or nothing, and the next may begin at `end`. */
interface Lexeme {
  readonly kind: TokenKind | 'nothing'
  readonly end: number
}

class Lexer {
  readonly #text: string
  readonly #tokens: Token[] = []
  #at = 0
  /** End of the run of digits last looked at: no date begins inside a run that has none after it. */
  #dateless = 0

  constructor(text: string) {
    this.#text = text
  }

  run(): Token[] {
    while (this.#at < this.#text.length) {
      const { kind, end } = this.#next(this.#text[this.#at]!)
      if (kind === 'space') this.#addSpace()
      else if (kind !== 'nothing') this.#tokens.push({ kind, text: this.#text.slice(this.#at, end), start: this.#at })
      if (this.#tokens.length > maxTokens) throw new FilterError(`filter has more than ${maxTokens} tokens`)
      this.#at = end
    }
    this.#tokens.push({ kind: 'end', text: '<EOF>', start: this.#text.length })
    return this.#tokens
  }

  /** Runs that only skipped characters separate are one. */
  #addSpace(): void {
    if (this.#tokens.at(-1)?.kind === 'space') return
    this.#tokens.push({ kind: 'space', text: this.#text[this.#at]!, start: this.#at })
  }

  #next(character: string): Lexeme {
    if (/[ \t\r\n]/.test(character)) return { kind: 'space', end: this.#match(whitespace, this.#at)! }
    if (/[A-Za-z]/.test(character)) return this.#word()
    if (/[0-9]/.test(character)) return this.#number()
    if (character === '"') return this.#string()
    if (character === "'") return this.#quotedIdentifier()
    return this.#punctuation(character)
  }

  /** Nothing known begins here, as the character at `offset` showed: that one is skipped too. */
  #nothing(offset: number): Lexeme {
    const character = this.#text.codePointAt(offset)
    return { kind: 'nothing', end: character === undefined ? offset : offset + (character > 0xffff ? 2 : 1) }
  }

  /** The end of what `pattern` matches at `offset`, or undefined. */
  #match(pattern: RegExp, offset: number): number | undefined {
    pattern.lastIndex = offset
    return pattern.test(this.#text) ? pattern.lastIndex : undefined
  }

  #word(): Lexeme {
    const end = this.#match(word, this.#at)!
    const text = this.#text.slice(this.#at, end)
    const kind = keywords.get(text.toLowerCase()) ?? 'identifier'
    if (kind === 'not') return this.#not(end)
    if (text === 'datetime') return this.#datetime(end)
    return { kind, end }
  }

  #not(end: number): Lexeme {
    negated.lastIndex = this.#at
    const match = negated.exec(this.#text)
    if (match === null) return { kind: 'not', end }
    const operator = match[1] ?? match[2] ?? ''
    return { kind: keywords.get(operator.toLowerCase())!, end: negated.lastIndex }
  }

  #datetime(wordEnd: number): Lexeme {
    const start = this.#match(datetimeStart, this.#at)
    const date = start === undefined ? undefined : this.#dateEnd(start)
    const end = date === undefined ? undefined : this.#match(datetimeEnd, date)
    return end === undefined ? { kind: 'identifier', end: wordEnd } : { kind: 'datetime', end }
  }

  #number(): Lexeme {
    const date = this.#dateEnd(this.#at)
    if (date !== undefined) return { kind: 'bare datetime', end: date }
    return { kind: 'number', end: this.#match(number, this.#at)! }
  }

  #dateEnd(start: number): number | undefined {
    if (start < this.#dateless) return undefined
    const yearEnd = this.#match(digits, start)!
    const end = this.#match(afterYear, yearEnd)
    if (end === undefined) this.#dateless = yearEnd
    return end
  }

  #string(): Lexeme {
    let at = this.#at + 1
    for (;;) {
      const character = this.#text[at]
      if (character === '"') return { kind: 'string', end: at + 1 }
      if (character === undefined || character < ' ') return this.#nothing(at)
      if (character === '\\') {
        at++
        if (!/["\\fnrt]/.test(this.#text[at] ?? '')) return this.#nothing(at)
      }
      at++
    }
  }

  /** An identifier in single quotes keeps them, so it never names anything; it is a token all the same. */
  #quotedIdentifier(): Lexeme {
    const end = this.#match(word, this.#at + 1)
    if (end === undefined) return this.#nothing(this.#at + 1)
    if (this.#text[end] === "'") return { kind: 'identifier', end: end + 1 }
    return this.#nothing(this.#text[end] === '.' ? end + 1 : end)
  }

  #punctuation(character: string): Lexeme {
    const at = this.#at
    const isBeforeEquals = this.#text[at + 1] === '='
    switch (character) {
      case '(':
      case ')':
      case '[':
      case ']':
      case ',':
        return { kind: character, end: at + 1 }
      case '<':
      case '>':
        return { kind: 'order', end: at + (isBeforeEquals ? 2 : 1) }
      case '=':
        return { kind: 'equality', end: at + 1 }
      case '!':
        return isBeforeEquals ? { kind: 'equality', end: at + 2 } : this.#nothing(at + 1)
      case '-': {
        const end = this.#match(number, at)
        return end === undefined ? this.#nothing(at + 1) : { kind: 'number', end }
      }
      default:
        return this.#nothing(at)
    }
  }
}
