/** Refuses names that do not exist, sets outside set functions, and what is no set inside one. */
import { FilterError } from './filter-error.ts'
import type { Scope } from './scope.ts'
import type { Expression, Operand, QueryNode, SetExpression } from './syntax-tree.ts'

/** Checks every name of a query, in the order in which they stand. */
export function checkNames<Row, Context>(query: QueryNode, scope: Scope<Row, Context>): void {
  checkExpression(query.predicate, scope)
  for (const { name } of query.sort) checkPlain(name, scope)
}

function checkExpression<Row, Context>(expression: Expression, scope: Scope<Row, Context>): void {
  switch (expression.kind) {
    case 'constant':
      break
    case 'symbol':
      checkPlain(expression.name, scope)
      break
    case 'not':
      checkExpression(expression.operand, scope)
      break
    case 'and':
    case 'or':
      for (const operand of expression.operands) checkExpression(operand, scope)
      break
    case 'isEmpty':
      checkSet(expression.set, 'isEmpty', scope)
      break
    default:
      checkOperand(expression.left, scope)
  }
}

function checkOperand<Row, Context>(operand: Operand, scope: Scope<Row, Context>): void {
  if (operand.kind === 'symbol') checkPlain(operand.name, scope)
  else if (operand.kind === 'count') checkSet(operand.set, 'count', scope)
  else checkSet({ name: operand.name }, operand.kind, scope)
}

function checkPlain<Row, Context>(name: string, scope: Scope<Row, Context>): void {
  if (scope.get(name).elements !== undefined) {
    throw new FilterError(`symbol '${name}' is a set symbol but is used in non-set function context`)
  }
}

function checkSet<Row, Context>({ name, query }: SetExpression, use: string, scope: Scope<Row, Context>): void {
  if (query !== undefined) {
    const inside = scope.inside(name)
    if (inside === undefined) throw new FilterError(`attempt to subquery on non-entity symbol ${name}`)
    checkNames(query, inside)
  }
  if (scope.get(name).elements === undefined) {
    throw new FilterError(`symbol '${name}' is not a set symbol but is used in set function ${use}`)
  }
}
