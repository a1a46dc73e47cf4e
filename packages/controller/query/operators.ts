/**
 * The operators, as tests of one value. Which test an operator is depends on the symbol's type and the literal's; what
 * has no test here is refused when the filter is compiled, so that evaluating can not fail.
 *
 * A missing value satisfies only the negations and `= null`; a missing flag counts as false. A value that is not of the
 * symbol's type counts as missing, except that text is made of numbers and flags where text is asked for.
 */
import { compareBytes, isUnitOrdered } from './byte-order.ts'
import { plainDecimal } from './decimal-text.ts'
import type { Instant } from './instant.ts'
import { literalText } from './literal.ts'
import type { SymbolType, Value } from './symbol.ts'
import type { Comparison, ListLiteral, Literal } from './syntax-tree.ts'

export type ValueTest = (value: Value) => boolean

type Order = Exclude<Comparison, 'contains' | 'not contains' | 'icontains' | 'not icontains'>

/** Up to this many elements a list is searched faster than a set. */
const shortList = 8

/** The test `<value> operator literal`, or undefined when the types do not allow it. */
export function comparisonTest(type: SymbolType, operator: Comparison, literal: Literal): ValueTest | undefined {
  if (literal.kind === 'null') return nullTest(operator)
  switch (operator) {
    case 'contains':
    case 'not contains':
      return hasText(type) ? containsTest(literalText(literal), operator === 'contains') : undefined
    case 'icontains':
    case 'not icontains':
      if (type !== 'string' && type !== 'any') return undefined
      return containsUpperTest(literalText(literal), operator === 'icontains')
    default:
      return orderTest(type, operator, literal)
  }
}

/** The test `<value> in list`, or undefined when the types do not allow it. */
export function inTest(type: SymbolType, { kind, elements }: ListLiteral): ValueTest | undefined {
  if (kind === 'datetime') {
    if (type === 'any') return never
    if (type !== 'datetime') return undefined
    return member(elements.map(exactTime))
  }
  if (kind !== 'string' && (isNumeric(type) || type === 'any')) return member(elements.map(exactNumber))
  if (!hasText(type)) return undefined
  const isMember = member(elements.map((element) => literalText(element) ?? null))
  return onText((text) => isMember(text), false)
}

/** The test `<value> between lower and upper`, lower included and upper not; undefined when the types differ. */
export function betweenTest(type: SymbolType, lower: Literal, upper: Literal): ValueTest | undefined {
  const isAtLeast = orderTest(type, '>=', lower)
  const isBelow = orderTest(type, '<', upper)
  if (type === 'string' || isAtLeast === undefined || isBelow === undefined) return undefined
  return (value) => isAtLeast(value) && isBelow(value)
}

function nullTest(operator: Comparison): ValueTest | undefined {
  if (operator === '=') return (value) => value === null
  return operator === '!=' ? (value) => value !== null : undefined
}

function orderTest(type: SymbolType, operator: Order, literal: Literal): ValueTest | undefined {
  switch (literal.kind) {
    case 'bool':
      return type === 'bool' || type === 'any' ? boolTest(operator, literal.value) : undefined
    case 'datetime':
      if (type === 'any') return operator === '!=' ? always : never // A tag holds no time.
      return type === 'datetime' ? instantTest(operator, literal.value) : undefined
    case 'integer':
    case 'float':
      if (isNumeric(type) || type === 'any') return numberTest(operator, literal.value)
      return type === 'string' ? textTest(operator, literalText(literal)!) : undefined
    case 'string':
      return type === 'string' || type === 'any' ? textTest(operator, literal.value) : undefined
    case 'null':
      return undefined
  }
}

function boolTest(operator: Order, flag: boolean): ValueTest | undefined {
  if (operator !== '=' && operator !== '!=') return undefined
  const wanted = operator === '=' ? flag : !flag
  return (value) => (value === true) === wanted
}

function textTest(operator: Order, literal: string): ValueTest {
  const isPlain = isUnitOrdered(literal)
  switch (operator) {
    case '=':
      return onText((text) => text === literal, false)
    case '!=':
      return onText((text) => text !== literal, true)
    case '<':
      return onText(isPlain ? (text) => text < literal : (text) => compareBytes(text, literal) < 0, false)
    case '<=':
      return onText(isPlain ? (text) => text <= literal : (text) => compareBytes(text, literal) <= 0, false)
    case '>':
      return onText(isPlain ? (text) => text > literal : (text) => compareBytes(text, literal) > 0, false)
    case '>=':
      return onText(isPlain ? (text) => text >= literal : (text) => compareBytes(text, literal) >= 0, false)
  }
}

/** A bigint stands for an integer that no number equals; ordering the two is exact. */
function numberTest(operator: Order, literal: number | bigint): ValueTest {
  switch (operator) {
    case '=':
      return (value) => value === literal
    case '!=':
      return (value) => value !== literal
    case '<':
      return (value) => typeof value === 'number' && value < literal
    case '<=':
      return (value) => typeof value === 'number' && value <= literal
    case '>':
      return (value) => typeof value === 'number' && value > literal
    case '>=':
      return (value) => typeof value === 'number' && value >= literal
  }
}

/** Times are text of one width, so text order is time order. */
function instantTest(operator: Order, { floor, isExact }: Instant): ValueTest {
  switch (operator) {
    case '=':
      return isExact ? (value) => value === floor : never
    case '!=':
      return isExact ? (value) => value !== floor : always
    case '<':
      return isExact
        ? (value) => typeof value === 'string' && value < floor
        : (value) => typeof value === 'string' && value <= floor
    case '<=':
      return (value) => typeof value === 'string' && value <= floor
    case '>':
      return (value) => typeof value === 'string' && value > floor
    case '>=':
      return isExact
        ? (value) => typeof value === 'string' && value >= floor
        : (value) => typeof value === 'string' && value > floor
  }
}

function containsTest(part: string | undefined, isWanted: boolean): ValueTest | undefined {
  if (part === undefined) return undefined
  return isWanted ? onText((text) => text.includes(part), false) : onText((text) => !text.includes(part), true)
}

function containsUpperTest(part: string | undefined, isWanted: boolean): ValueTest | undefined {
  if (part === undefined) return undefined
  const upper = upperCase(part)
  return isWanted
    ? onText((text) => upperCase(text).includes(upper), false)
    : onText((text) => !upperCase(text).includes(upper), true)
}

/** Upper case character by character: what would become longer (`ß`) stays, as the peers have it. */
function upperCase(text: string): string {
  const upper = text.toUpperCase()
  if (upper.length === text.length) return upper
  return Array.from(text, (character) => {
    const one = character.toUpperCase()
    return one.length === character.length ? one : character
  }).join('')
}

function member(elements: readonly Value[]): ValueTest {
  if (elements.length <= shortList) return (value) => value !== null && elements.includes(value)
  const set = new Set(elements)
  return (value) => value !== null && set.has(value)
}

/** The number that a value must be to equal this literal; null when no number does. */
function exactNumber(literal: Literal): number | null {
  const isNumber = literal.kind === 'integer' || literal.kind === 'float'
  return isNumber && typeof literal.value === 'number' ? literal.value : null
}

/** The text that a time must have to equal this literal; null when none does. */
function exactTime(literal: Literal): string | null {
  return literal.kind === 'datetime' && literal.value.isExact ? literal.value.floor : null
}

function onText(test: (text: string) => boolean, ofMissing: boolean): ValueTest {
  return (value) => {
    const text = typeof value === 'string' ? value : textOf(value)
    return text === null ? ofMissing : test(text)
  }
}

function textOf(value: Value): string | null {
  return typeof value === 'number' ? plainDecimal(value) : value === null ? null : String(value)
}

function hasText(type: SymbolType): boolean {
  return type === 'string' || type === 'any' || isNumeric(type)
}

function isNumeric(type: SymbolType): boolean {
  return type === 'int64' || type === 'float64'
}

function always(): boolean {
  return true
}

function never(): boolean {
  return false
}
