/**
 * What a query lets an index answer: the equalities that hold for every row it can match.
 *
 * `a and b` implies what either implies; `a or b` implies a probe only on an index that both restrict. Whatever is
 * negated implies nothing.
 */
import { literalText } from './literal.ts'
import type { Scope } from './scope.ts'
import type { Expression, Literal, Operand } from './syntax-tree.ts'

/** Every matching row is found in this index under one of these keys. */
export interface IndexProbe {
  readonly index: string
  readonly keys: readonly string[]
}

/** Every matching row has this part in the key of this index, in upper or lower case. */
export interface PartProbe {
  readonly index: string
  readonly part: string
}

/** The parts of indexed texts that an expression asks for. */
export function partProbesOf<Row, Context>(expression: Expression, scope: Scope<Row, Context>): readonly PartProbe[] {
  if (expression.kind === 'and') return expression.operands.flatMap((operand) => partProbesOf(operand, scope))
  if (expression.kind !== 'comparison' || expression.left.kind !== 'symbol') return []
  if (expression.operator !== 'contains' && expression.operator !== 'icontains') return []
  const { type, index } = scope.get(expression.left.name)
  const part = literalText(expression.right)
  return index === undefined || type !== 'string' || part === undefined ? [] : [{ index, part }]
}

/** The probes that an expression implies. */
export function probesOf<Row, Context>(expression: Expression, scope: Scope<Row, Context>): readonly IndexProbe[] {
  switch (expression.kind) {
    case 'and':
      return expression.operands.flatMap((operand) => probesOf(operand, scope))
    case 'or':
      return sharedProbes(expression.operands.map((operand) => probesOf(operand, scope)))
    case 'comparison':
      return expression.operator === '=' ? probe(expression.left, [expression.right], scope) : []
    case 'in':
      return expression.isNegated ? [] : probe(expression.left, expression.list.elements, scope)
    default:
      return []
  }
}

function probe<Row, Context>(
  operand: Operand,
  literals: readonly Literal[],
  scope: Scope<Row, Context>,
): readonly IndexProbe[] {
  if (operand.kind !== 'symbol' && operand.kind !== 'anyOf') return []
  const { type, index } = scope.get(operand.name)
  if (index === undefined || type !== 'string') return []
  const keys = literals.map(literalText)
  return keys.every((key) => key !== undefined) ? [{ index, keys: [...new Set(keys)] }] : []
}

function sharedProbes(branches: readonly (readonly IndexProbe[])[]): readonly IndexProbe[] {
  const [first = [], ...others] = branches
  const shared: IndexProbe[] = []
  for (const { index } of first) {
    if (shared.some((known) => known.index === index)) continue
    const parts = [first, ...others].map((probes) => narrowest(probes, index))
    if (parts.every((part) => part !== undefined)) {
      shared.push({ index, keys: [...new Set(parts.flatMap((part) => part.keys))] })
    }
  }
  return shared
}

function narrowest(probes: readonly IndexProbe[], index: string): IndexProbe | undefined {
  return probes
    .filter((candidate) => candidate.index === index)
    .reduce<IndexProbe | undefined>(
      (best, candidate) => (best === undefined || candidate.keys.length < best.keys.length ? candidate : best),
      undefined,
    )
}
