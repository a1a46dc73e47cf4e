/**
 * Precedence as cost: each has a band of its own, so that no cost within one reaches into the next. `required` comes before
 * `default`, and `failed` is the last resort.
 */
import type { TableRows } from '../state/row.ts'

export type Precedence = TableRows['terminators']['precedence']

const BAND_WIDTH = 1_073_741_823

const bandOf: Readonly<Record<Precedence, number>> = { required: 0, default: 1, failed: 2 }

/** A cost within the band of a precedence. */
export function biasedCost(precedence: Precedence, cost: number): number {
  return bandOf[precedence] * BAND_WIDTH + Math.min(cost, BAND_WIDTH - 1)
}

/** The cost without the band. */
export function unbiasedCost(precedence: Precedence, cost: number): number {
  return cost - bandOf[precedence] * BAND_WIDTH
}
