/**
 * Bounds of numbers, and what happens outside them: a value is refused, unless the peers use another in its place and
 * say so, which is then done here too.
 */
import { Unexpected, UseDefault } from './kind.ts'

export interface NumberBounds {
  readonly min?: number
  readonly max?: number
}

export interface BoundRules extends NumberBounds {
  /** What happens below `min`: refused unless the peers use the default or the minimum instead, with a warning. */
  readonly belowMin?: 'default' | 'min'
  /** Likewise above `max`. */
  readonly aboveMax?: 'default' | 'max'
}

type Show = (value: number) => string
interface Comparatives {
  readonly belowMin: string
  readonly aboveMax: string
}

/** Whether a value is outside. */
export function isOutside(value: number, { min, max }: NumberBounds): boolean {
  return (min !== undefined && value < min) || (max !== undefined && value > max)
}

/** The value, what stands for it, or what was found when neither will do. */
export function withinRules(
  value: number,
  rules: BoundRules,
  show: Show,
  warn: (message: string) => void,
  words: Comparatives = { belowMin: 'less', aboveMax: 'more' },
): number | UseDefault | Unexpected {
  const { min, max } = rules
  if (!isOutside(value, rules)) return value
  const side = min !== undefined && value < min ? 'belowMin' : 'aboveMax'
  const bound = (side === 'belowMin' ? min : max)!
  if (rules[side] === undefined) return new Unexpected(show(value))
  const complaint = `${words[side]} than ${show(bound)}`
  if (rules[side] === 'default') return new UseDefault(complaint)
  warn(`${complaint}; that is used`)
  return bound
}

/** The bounds outside of which a value is refused. */
export function refusedBounds({ min, max, belowMin, aboveMax }: BoundRules): NumberBounds {
  return {
    ...(min === undefined || belowMin !== undefined ? {} : { min }),
    ...(max === undefined || aboveMax !== undefined ? {} : { max }),
  }
}

/** What the reference page says about bounds outside of which another value is used. */
export function boundNote({ min, max, belowMin, aboveMax }: BoundRules, show: Show): { readonly note?: string } {
  const below = belowMin === undefined ? '' : `Below ${show(min!)}, ${instead(belowMin)}.`
  const above = aboveMax === undefined ? '' : `Above ${show(max!)}, ${instead(aboveMax)}.`
  const note = [below, above].filter((sentence) => sentence !== '').join(' ')
  return note === '' ? {} : { note }
}

function instead(used: 'default' | 'min' | 'max'): string {
  return used === 'default' ? 'the default is used' : 'that is used'
}

/** Bounds in words that follow a noun. */
export function within({ min, max }: NumberBounds, show: Show): string {
  if (min !== undefined && max !== undefined) return ` from ${show(min)} to ${show(max)}`
  if (min !== undefined) return ` of at least ${show(min)}`
  return max === undefined ? '' : ` of at most ${show(max)}`
}
