/** The words of refusals. Clients know those of the peers (2.1), internal type names included. */
import { quotedFloat } from './decimal-text.ts'
import type { SymbolType } from './symbol.ts'
import type { Comparison, ListLiteral, Literal } from './syntax-tree.ts'

const typeNames: Record<SymbolType, string> = {
  string: 'string',
  int64: 'number',
  float64: 'number',
  bool: 'bool',
  datetime: 'date',
  any: 'any',
  other: 'other',
}

const symbolNodes: Record<SymbolType, string> = {
  string: 'String',
  int64: 'Int64',
  float64: 'Float64',
  bool: 'Bool',
  datetime: 'Datetime',
  any: 'AnyType',
  other: 'Untyped',
}

const literalTypes: Record<Literal['kind'], SymbolType> = {
  string: 'string',
  integer: 'int64',
  float: 'float64',
  bool: 'bool',
  datetime: 'datetime',
  null: 'other',
}

/** Two operators go by another's name. */
const quotedOperators: Partial<Record<Comparison, string>> = { 'not contains': 'not icontains', icontains: 'contains' }

/** How refusals call `count(…)`. */
export const countNode = '*ast.CountSetExprNode'

/** How refusals call a type. */
export function typeName(type: SymbolType): string {
  return typeNames[type]
}

/** How refusals call the type of a literal. */
export function literalTypeName(literal: Literal): string {
  return typeNames[literalTypes[literal.kind]]
}

/** How refusals call a symbol of this type where the operation has no text of its own. */
export function symbolNode(type: SymbolType): string {
  return `*ast.${symbolNodes[type]}SymbolNode`
}

/** How refusals call a literal where the operation has no text of its own. */
export function constantNode(literal: Literal): string {
  return `*ast.${symbolNodes[literalTypes[literal.kind]]}ConstNode`
}

/** An operator as refusals quote it. */
export function quoteOperator(operator: Comparison): string {
  return quotedOperators[operator] ?? operator
}

/** A literal as refusals quote it. */
export function quoteLiteral(literal: Literal): string {
  switch (literal.kind) {
    case 'string':
      return literal.value
    case 'integer':
      return literal.text
    case 'float':
      return quotedFloat(literal.value)
    case 'datetime':
      return literal.value.quoted
    case 'bool':
      return String(literal.value)
    case 'null':
      return 'null'
  }
}

/** A list as refusals quote it: from its end, as the peers do. */
export function quoteList({ kind, elements }: ListLiteral): string {
  const quoted = elements.map((element) =>
    kind === 'float' && element.kind === 'integer' ? quotedFloat(Number(element.value)) : quoteLiteral(element),
  )
  return `[${quoted.reverse().join(', ')}]`
}
