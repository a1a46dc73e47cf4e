/**
 * Expressions into closures over a row. Every type is checked here, once: a predicate that was made always answers.
 *
 * Names have been checked before (`check-names.ts`). The wording of refusals, with its internal type names, is the one
 * that clients of the peers know.
 */
import { FilterError } from './filter-error.ts'
import { literalText } from './literal.ts'
import { betweenTest, comparisonTest, inTest, type ValueTest } from './operators.ts'
import {
  constantNode,
  countNode,
  literalTypeName,
  quoteList,
  quoteLiteral,
  quoteOperator,
  symbolNode,
  typeName,
} from './refusal-words.ts'
import type { Scope } from './scope.ts'
import type { FilterSymbol, SymbolType, Value } from './symbol.ts'
import type {
  BetweenExpression,
  ComparisonExpression,
  Expression,
  InExpression,
  Literal,
  LogicalExpression,
  Operand,
  QueryNode,
  SetExpression,
} from './syntax-tree.ts'

export type Predicate<Row, Context> = (row: Row, context: Context) => boolean

/** Matches every row. Compared by identity, so that what always holds costs nothing. */
export const everything = (): boolean => true
/** Matches no row. */
export const nothing = (): boolean => false

/** What an expression is: a predicate, or (refused by whoever needs one) a symbol of another type. */
type Typed<Row, Context> = { readonly predicate: Predicate<Row, Context> } | { readonly notBool: string }

/** The predicate of a query. The types of its sort order are checked on the way, after the operators'. */
export function compilePredicate<Row, Context>(query: QueryNode, scope: Scope<Row, Context>): Predicate<Row, Context> {
  const typed = compile(query.predicate, scope)
  for (const { name } of query.sort) usableType(name, scope.get(name))
  return asPredicate(typed, (node) => `query expr predicate must be a boolean expr. contains ${node}`)
}

function compile<Row, Context>(expression: Expression, scope: Scope<Row, Context>): Typed<Row, Context> {
  switch (expression.kind) {
    case 'constant':
      return { predicate: expression.value ? everything : nothing }
    case 'symbol':
      return compileSymbol(expression.name, scope)
    case 'not': {
      const operand = compile(expression.operand, scope)
      return { predicate: negate(asPredicate(operand, (node) => `not expr must wrap bool expr. contains ${node}`)) }
    }
    case 'and':
    case 'or':
      return { predicate: compileLogical(expression, scope) }
    case 'isEmpty': {
      const count = compileCount(expression.set, 1, scope)
      return { predicate: (row, context) => count(row, context) === 0 }
    }
    case 'comparison':
      return { predicate: compileComparison(expression, scope) }
    case 'in':
      return { predicate: compileIn(expression, scope) }
    case 'between':
      return { predicate: compileBetween(expression, scope) }
  }
}

function asPredicate<Row, Context>(
  typed: Typed<Row, Context>,
  refusal: (node: string) => string,
): Predicate<Row, Context> {
  if ('predicate' in typed) return typed.predicate
  throw new FilterError(refusal(typed.notBool))
}

function compileSymbol<Row, Context>(name: string, scope: Scope<Row, Context>): Typed<Row, Context> {
  const symbol = scope.get(name)
  const type = usableType(name, symbol)
  if (type !== 'bool' && type !== 'any') return { notBool: symbolNode(type) }
  const read = symbol.value!
  return { predicate: (row, context) => read(row, context) === true }
}

function compileLogical<Row, Context>(
  { kind, operands }: LogicalExpression,
  scope: Scope<Row, Context>,
): Predicate<Row, Context> {
  const typed = operands.map((operand) => compile(operand, scope))
  const last = typed.length - 1
  const refusal = (side: string) => (node: string) => `boolean logic expression ${side} is of type ${node}, not bool`
  // Grouped to the right, the innermost pair is judged first: the last but one, the last, then outwards.
  const predicates = [asPredicate(typed[last - 1]!, refusal('LHS')), asPredicate(typed[last]!, refusal('RHS'))]
  for (let at = last - 2; at >= 0; at--) predicates.unshift(asPredicate(typed[at]!, refusal('LHS')))
  return kind === 'and' ? every(predicates) : some(predicates)
}

function every<Row, Context>(predicates: readonly Predicate<Row, Context>[]): Predicate<Row, Context> {
  if (predicates.includes(nothing)) return nothing
  const [first, second, ...rest] = predicates.filter((predicate) => predicate !== everything)
  if (first === undefined) return everything
  if (second === undefined) return first
  if (rest.length === 0) return (row, context) => first(row, context) && second(row, context)
  const all = [first, second, ...rest]
  return (row, context) => all.every((predicate) => predicate(row, context))
}

function some<Row, Context>(predicates: readonly Predicate<Row, Context>[]): Predicate<Row, Context> {
  if (predicates.includes(everything)) return everything
  const [first, second, ...rest] = predicates.filter((predicate) => predicate !== nothing)
  if (first === undefined) return nothing
  if (second === undefined) return first
  if (rest.length === 0) return (row, context) => first(row, context) || second(row, context)
  const all = [first, second, ...rest]
  return (row, context) => all.some((predicate) => predicate(row, context))
}

function negate<Row, Context>(predicate: Predicate<Row, Context>): Predicate<Row, Context> {
  if (predicate === everything) return nothing
  if (predicate === nothing) return everything
  return (row, context) => !predicate(row, context)
}

/** The left side of an operator: its type, how refusals name it, and how a test of its value becomes a predicate. */
interface TypedOperand<Row, Context> {
  readonly type: SymbolType
  readonly quoted: string
  readonly node: string
  readonly where: (test: ValueTest) => Predicate<Row, Context>
}

function compileOperand<Row, Context>(operand: Operand, scope: Scope<Row, Context>): TypedOperand<Row, Context> {
  if (operand.kind === 'count') {
    const count = compileCount(operand.set, Number.POSITIVE_INFINITY, scope)
    return {
      type: 'int64',
      quoted: `count(${operand.set.name})`,
      node: countNode,
      where: (test) => (row, context) => test(count(row, context)),
    }
  }
  const symbol = scope.get(operand.name)
  const type = usableType(operand.name, symbol)
  const where =
    operand.kind === 'symbol' ? whereValue(symbol.value!) : whereElements(symbol.elements!, operand.kind === 'anyOf')
  return { type, quoted: operand.name, node: symbolNode(type), where }
}

function whereValue<Row, Context>(read: (row: Row, context: Context) => Value) {
  return (test: ValueTest) => (row: Row, context: Context) => test(read(row, context))
}

function whereElements<Row, Context>(read: (row: Row, context: Context) => Iterable<Value>, isAny: boolean) {
  return (test: ValueTest) => (row: Row, context: Context) => {
    const elements = read(row, context)
    if (Array.isArray(elements)) return isAny ? elements.some(test) : elements.every(test)
    for (const element of elements) if (test(element) === isAny) return isAny
    return !isAny
  }
}

function compileComparison<Row, Context>(
  { left, operator, right }: ComparisonExpression,
  scope: Scope<Row, Context>,
): Predicate<Row, Context> {
  const operand = compileOperand(left, scope)
  const test = comparisonTest(operand.type, operator, right)
  if (test === undefined) {
    const operation = `${operand.quoted} ${quoteOperator(operator)} ${quoteLiteral(right)}`
    throw unsupported(operation, typeName(operand.type), literalTypeName(right))
  }
  const holds = compileHolds(left, [right], scope)
  if (operator === '=' && holds !== undefined) return holds
  // A set that holds the value is taken for equal to it, as the peers (2.1) answer: nearly every set has some other
  // element too, so the literal reading would tell nothing.
  if (left.kind === 'anyOf' && operator === '!=' && right.kind !== 'null') {
    const differs = holds ? negate(holds) : compileOperand({ ...left, kind: 'allOf' }, scope).where(test)
    const count = compileCount({ name: left.name }, 1, scope)
    return (row, context) => count(row, context) > 0 && differs(row, context)
  }
  return operand.where(test)
}

function compileIn<Row, Context>(
  { left, isNegated, list }: InExpression,
  scope: Scope<Row, Context>,
): Predicate<Row, Context> {
  const { type, quoted, where } = compileOperand(left, scope)
  const test = inTest(type, list)
  if (test === undefined) throw unsupported(`${quoted} in ${quoteList(list)}`, typeName(type), 'other')
  const predicate = compileHolds(left, list.elements, scope) ?? where(test)
  return isNegated ? negate(predicate) : predicate
}

/** That a set holds one of some texts, if it can tell without being walked. */
function compileHolds<Row, Context>(
  operand: Operand,
  literals: readonly Literal[],
  scope: Scope<Row, Context>,
): Predicate<Row, Context> | undefined {
  if (operand.kind !== 'anyOf') return undefined
  const { has, type } = scope.get(operand.name)
  const texts = literals.map(literalText).filter((text) => text !== undefined)
  if (has === undefined || type !== 'string' || texts.length < literals.length) return undefined
  return (row, context) => texts.some((text) => has(row, text, context))
}

function compileBetween<Row, Context>(
  { left, isNegated, lower, upper }: BetweenExpression,
  scope: Scope<Row, Context>,
): Predicate<Row, Context> {
  const { type, node, where } = compileOperand(left, scope)
  const test = betweenTest(type, lower, upper)
  const bound = constantNode(lower)
  if (test === undefined) throw unsupported('between', node, bound, bound)
  return isNegated ? negate(where(test)) : where(test)
}

function unsupported(operation: string, ...types: readonly string[]): FilterError {
  return new FilterError(`operation ${operation} is not supported with operands types ${types.join(', ')}`)
}

/** Counts the elements of a set, or the entities that its sub-query selects; stops at `enough`. */
function compileCount<Row, Context>(
  { name, query }: SetExpression,
  enough: number,
  scope: Scope<Row, Context>,
): (row: Row, context: Context) => number {
  const symbol = scope.get(name)
  usableType(name, symbol)
  const elements = symbol.elements!
  if (query === undefined) return (row, context) => countOf(elements(row, context), enough)
  const { linked } = symbol
  const matches = compilePredicate(query, scope.inside(name)!)
  const skip = Math.max(query.skip ?? 0, 0)
  const limit = query.limit === undefined || query.limit < 0 ? Number.POSITIVE_INFINITY : query.limit
  const wanted = skip + Math.min(limit, enough)
  return (row, context) => {
    let selected = 0
    for (const id of elements(row, context)) {
      if (selected >= wanted) break
      const entity = typeof id === 'string' ? linked!(id, context) : undefined
      if (entity !== undefined && matches(entity, context)) selected++
    }
    return Math.max(selected - skip, 0)
  }
}

function countOf(elements: Iterable<Value>, enough: number): number {
  if (Array.isArray(elements)) return elements.length
  if (elements instanceof Set) return elements.size
  let count = 0
  for (const _element of elements) if (++count >= enough) break
  return count
}

/** The type of a symbol that can be evaluated. */
function usableType<Row, Context>(name: string, symbol: FilterSymbol<Row, Context>): SymbolType {
  const isReadable = symbol.value !== undefined || symbol.elements !== undefined
  if (symbol.type === 'other' || !isReadable) throw new FilterError(`unhanded symbol type 6 for symbol ${name}`)
  return symbol.type
}
