/**
 * The grammar of filters, by recursive descent.
 *
 * `and` and `or` have one precedence and group to the right, and `not` takes everything that follows: the admin console
 * depends on that. A refusal names the first token that no filter could continue with. What is well formed but has a
 * value that is none (a 30th of February) is refused after the whole text was found well formed.
 */
import { FilterError } from './filter-error.ts'
import { readDatetime, readInteger, readNumber, readString } from './literal.ts'
import type {
  Comparison,
  Expression,
  ListLiteral,
  Literal,
  LogicalExpression,
  Operand,
  QueryNode,
  SetExpression,
  SortNode,
} from './syntax-tree.ts'
import { TokenReader } from './token-reader.ts'

export const maxNesting = 100
export const maxSubQueries = 3

/** Parses a filter. Throws a `FilterError` for anything that is not one. */
export function parseFilter(text: string): QueryNode {
  return new Parser(text).start()
}

const operatorTokens = ['in', 'between', 'order', 'equality', 'contains', 'icontains'] as const

type LiteralKind = 'string' | 'number' | 'datetime' | 'bool' | 'null'

class Parser {
  readonly #tokens: TokenReader
  #nesting = 0
  #subQueries = 0
  #firstBadValue: FilterError | undefined

  constructor(text: string) {
    this.#tokens = new TokenReader(text)
  }

  start(): QueryNode {
    this.#tokens.skipSpace()
    const query = this.#query()
    this.#tokens.skipSpace()
    this.#tokens.take('end')
    if (this.#firstBadValue !== undefined) throw this.#firstBadValue
    return query
  }

  #query(): QueryNode {
    const isImplied = this.#tokens.isNext('sort', 'skip', 'limit')
    const predicate: Expression = isImplied ? { kind: 'constant', value: true } : this.#expression()
    const sort = this.#hasClause('sort', isImplied) ? this.#sortBy() : []
    const isUnsorted = isImplied && sort.length === 0
    const skip = this.#hasClause('skip', isUnsorted) ? this.#rowCount('skip') : undefined
    const limit = this.#hasClause('limit', isUnsorted && skip === undefined) ? this.#rowCount('limit') : undefined
    return { predicate, sort, skip, limit }
  }

  /** Whether this clause is next. Whitespace stands before it, unless the query begins with it. */
  #hasClause(kind: 'sort' | 'skip' | 'limit', isFirst: boolean): boolean {
    return isFirst ? this.#tokens.isNext(kind) : this.#tokens.skipSpaceBefore(kind)
  }

  #sortBy(): SortNode[] {
    this.#tokens.take('sort')
    this.#tokens.takeSpace()
    this.#tokens.take('by')
    this.#tokens.takeSpace()
    return this.#commaSeparated(() => this.#sortField())
  }

  #sortField(): SortNode {
    const name = this.#tokens.take('identifier').text
    if (!this.#tokens.skipSpaceBefore('asc', 'desc')) return { name, isAscending: true }
    return { name, isAscending: this.#tokens.take('asc', 'desc').kind === 'asc' }
  }

  #rowCount(clause: 'skip' | 'limit'): number {
    this.#tokens.take(clause)
    this.#tokens.takeSpace()
    const { kind, text } = clause === 'limit' ? this.#tokens.take('none', 'number') : this.#tokens.take('number')
    return kind === 'none' ? -1 : this.#value(() => readInteger(text, clause), 0)
  }

  #expression(): Expression {
    const operands = [this.#primary()]
    const operators: ('and' | 'or')[] = []
    while (this.#tokens.skipSpaceBefore('and', 'or')) {
      operators.push(this.#tokens.take('and', 'or').kind)
      this.#tokens.takeSpace()
      operands.push(this.#primary())
    }
    return group(operands, operators)
  }

  #primary(): Expression {
    switch (this.#tokens.next.kind) {
      case 'bool':
        return { kind: 'constant', value: isTrue(this.#tokens.take('bool').text) }
      case '(':
        return this.#nested(() => this.#parenthesised(() => this.#expression()))
      case 'not':
        return this.#nested(() => this.#not())
      case 'isempty':
        this.#tokens.take('isempty')
        return { kind: 'isEmpty', set: this.#parenthesised(() => this.#set()) }
      default:
        return this.#operation()
    }
  }

  #not(): Expression {
    this.#tokens.take('not')
    this.#tokens.takeSpace()
    return { kind: 'not', operand: this.#expression() }
  }

  #operation(): Expression {
    const left = this.#operand()
    const isSpaced = this.#tokens.skipSpaceBefore(...operatorTokens)
    switch (this.#tokens.next.kind) {
      case 'in':
        return this.#in(left, isSpaced)
      case 'between':
        return this.#between(left, isSpaced)
      case 'order':
      case 'equality':
        return this.#order(left)
      case 'contains':
      case 'icontains':
        return this.#contains(left)
      default:
        return left.kind === 'symbol' ? left : this.#withoutOperator()
    }
  }

  /** Only a symbol can stand alone; after anything else the next token, whitespace aside, is unexpected. */
  #withoutOperator(): never {
    this.#tokens.skipSpace()
    throw this.#tokens.unexpected()
  }

  #operand(): Operand {
    const { kind, text } = this.#tokens.take('identifier', 'allof', 'anyof', 'count')
    if (kind === 'identifier') return { kind: 'symbol', name: text }
    if (kind === 'count') return { kind: 'count', set: this.#parenthesised(() => this.#set()) }
    const name = this.#parenthesised(() => this.#tokens.take('identifier').text)
    return { kind: kind === 'anyof' ? 'anyOf' : 'allOf', name }
  }

  #set(): SetExpression {
    const { kind, text } = this.#tokens.take('identifier', 'from')
    return kind === 'identifier' ? { name: text } : this.#nested(() => this.#subQuery())
  }

  #subQuery(): SetExpression {
    if (++this.#subQueries > maxSubQueries) {
      throw this.#tokens.refusal(`sub-queries are nested more than ${maxSubQueries} deep`)
    }
    this.#tokens.takeSpace()
    const name = this.#tokens.take('identifier').text
    this.#tokens.takeSpace()
    this.#tokens.take('where')
    this.#tokens.takeSpace()
    const query = this.#query()
    this.#subQueries--
    return { name, query }
  }

  #order(left: Operand): Expression {
    const { kind, text } = this.#tokens.take('order', 'equality')
    this.#tokens.skipSpace()
    const right =
      kind === 'order'
        ? this.#literal('string', 'number', 'datetime')
        : this.#literal('string', 'number', 'datetime', 'bool', 'null')
    return { kind: 'comparison', left, operator: text as Comparison, right }
  }

  #contains(left: Operand): Expression {
    const { kind, text } = this.#tokens.take('contains', 'icontains')
    this.#tokens.takeSpace()
    const right = kind === 'contains' ? this.#literal('string', 'number') : this.#literal('string')
    return { kind: 'comparison', left, operator: isNegation(text) ? `not ${kind}` : kind, right }
  }

  #in(left: Operand, isSpaced: boolean): Expression {
    if (!isSpaced) throw this.#tokens.unexpected()
    const isNegated = isNegation(this.#tokens.take('in').text)
    this.#tokens.takeSpace()
    this.#tokens.take('[')
    this.#tokens.skipSpace()
    const kind = this.#kindOf('string', 'number', 'datetime')
    const elements = this.#commaSeparated(() => this.#literal(kind))
    this.#tokens.skipSpace()
    this.#tokens.take(']')
    return { kind: 'in', left, isNegated, list: { kind: listKind(elements), elements } }
  }

  #between(left: Operand, isSpaced: boolean): Expression {
    if (!isSpaced) throw this.#tokens.unexpected()
    const isNegated = isNegation(this.#tokens.take('between').text)
    this.#tokens.takeSpace()
    const kind = this.#kindOf('number', 'datetime')
    const lower = this.#literal(kind)
    this.#tokens.takeSpace()
    this.#tokens.take('and')
    this.#tokens.takeSpace()
    return { kind: 'between', left, isNegated, lower, upper: this.#literal(kind) }
  }

  #literal(...kinds: readonly LiteralKind[]): Literal {
    const { kind, text } = this.#tokens.take(...kinds)
    switch (kind) {
      case 'string':
        return readString(text)
      case 'number':
        return this.#value(() => readNumber(text), { kind: 'null' })
      case 'datetime':
        return this.#value(() => readDatetime(text), { kind: 'null' })
      case 'bool':
        return { kind: 'bool', value: isTrue(text) }
      case 'null':
        return { kind: 'null' }
    }
  }

  /** The kind of the next token, which must be one of these. */
  #kindOf<Kind extends LiteralKind>(...kinds: readonly Kind[]): Kind {
    const kind = kinds.find((candidate) => this.#tokens.isNext(candidate))
    if (kind === undefined) throw this.#tokens.unexpected()
    return kind
  }

  /** Reads a value; the first one that is none is remembered, and `placeholder` stands in for it until the end. */
  #value<Result>(read: () => Result, placeholder: Result): Result {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof FilterError)) throw error
      this.#firstBadValue ??= error
      return placeholder
    }
  }

  #parenthesised<Inner>(inner: () => Inner): Inner {
    this.#tokens.take('(')
    this.#tokens.skipSpace()
    const result = inner()
    this.#tokens.skipSpace()
    this.#tokens.take(')')
    return result
  }

  #commaSeparated<Item>(read: () => Item): Item[] {
    const items = [read()]
    while (this.#tokens.isNext(',') || this.#tokens.skipSpaceBefore(',')) {
      this.#tokens.take(',')
      this.#tokens.skipSpace()
      items.push(read())
    }
    return items
  }

  #nested<Inner>(inner: () => Inner): Inner {
    if (++this.#nesting > maxNesting) throw this.#tokens.refusal(`filter is nested more than ${maxNesting} deep`)
    const result = inner()
    this.#nesting--
    return result
  }
}

function isTrue(text: string): boolean {
  return text.toLowerCase() === 'true'
}

function isNegation(operator: string): boolean {
  return operator.startsWith('n') || operator.startsWith('N')
}

function listKind(elements: readonly Literal[]): ListLiteral['kind'] {
  const isFloat = elements.some(({ kind }) => kind === 'float')
  return isFloat ? 'float' : (elements[0]!.kind as ListLiteral['kind'])
}

/** Groups to the right; neighbours with the same operator share a node. */
function group(operands: readonly Expression[], operators: readonly ('and' | 'or')[]): Expression {
  let result = operands.at(-1)!
  let open: { kind: 'and' | 'or'; operands: Expression[] } | undefined
  for (let at = operators.length - 1; at >= 0; at--) {
    const kind = operators[at]!
    if (open?.kind === kind) open.operands.push(operands[at]!)
    else {
      open?.operands.reverse()
      open = { kind, operands: [result, operands[at]!] }
      result = open satisfies LogicalExpression
    }
  }
  open?.operands.reverse()
  return result
}
