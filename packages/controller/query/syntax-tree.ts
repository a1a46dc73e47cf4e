/** A filter after parsing and before anything is known of the symbols it names. */
import type { Instant } from './instant.ts'

export type Comparison =
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'contains'
  | 'not contains'
  | 'icontains'
  | 'not icontains'

export type Literal =
  | { readonly kind: 'string'; readonly value: string }
  | IntegerLiteral
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'datetime'; readonly value: Instant }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'null' }

/** A whole number of 64 bits: a bigint only where no number holds it exactly. */
export interface IntegerLiteral {
  readonly kind: 'integer'
  readonly value: number | bigint
  readonly text: string
}

/** A set, or the entities it refers to, narrowed by a query of its own. */
export interface SetExpression {
  readonly name: string
  readonly query?: QueryNode
}

export type Operand =
  | { readonly kind: 'symbol'; readonly name: string }
  | { readonly kind: 'anyOf' | 'allOf'; readonly name: string }
  | { readonly kind: 'count'; readonly set: SetExpression }

export type Expression =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'symbol'; readonly name: string }
  | { readonly kind: 'not'; readonly operand: Expression }
  | LogicalExpression
  | { readonly kind: 'isEmpty'; readonly set: SetExpression }
  | ComparisonExpression
  | InExpression
  | BetweenExpression

/** Two operands or more: `a or b or c` is one node, `a and b or c` is `a and (b or c)`. */
export interface LogicalExpression {
  readonly kind: 'and' | 'or'
  readonly operands: readonly Expression[]
}

export interface ComparisonExpression {
  readonly kind: 'comparison'
  readonly left: Operand
  readonly operator: Comparison
  readonly right: Literal
}

export interface InExpression {
  readonly kind: 'in'
  readonly left: Operand
  readonly isNegated: boolean
  readonly list: ListLiteral
}

/** A list has elements of one kind; with one fraction among them, all numbers count as floating point. */
export interface ListLiteral {
  readonly kind: 'string' | 'integer' | 'float' | 'datetime'
  readonly elements: readonly Literal[]
}

export interface BetweenExpression {
  readonly kind: 'between'
  readonly left: Operand
  readonly isNegated: boolean
  readonly lower: Literal
  readonly upper: Literal
}

export interface SortNode {
  readonly name: string
  readonly isAscending: boolean
}

export interface QueryNode {
  readonly predicate: Expression
  readonly sort: readonly SortNode[]
  readonly skip?: number
  /** -1 stands for `none`. */
  readonly limit?: number
}
