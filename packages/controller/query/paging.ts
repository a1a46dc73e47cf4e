/** Which part of the matching rows a list answers. */

export interface Paging {
  readonly offset: number
  readonly limit: number | 'none'
}

/** What a filter says about paging: its `skip` and `limit` clauses. */
export interface PagingClauses {
  readonly skip?: number
  readonly limit?: number | 'none'
}

/** The `limit` and `offset` parameters of a request, where it has them. */
export interface PagingParameters {
  readonly limit?: number
  readonly offset?: number
}

export const defaultLimit = 10
export const maxLimit = 500
export const maxOffset = 100_000

/** The limit that answers report for an unlimited list: the largest integer of 64 bits, which no number holds. */
export const unlimited = 2n ** 63n - 1n

/** The part to answer. Clauses of the filter win over parameters; too large a value is lowered in silence. */
export function effectivePaging(clauses: PagingClauses, parameters: PagingParameters = {}): Paging {
  return {
    offset: Math.min(Math.max(clauses.skip ?? parameters.offset ?? 0, 0), maxOffset),
    limit: boundedLimit(clauses.limit ?? parameters.limit),
  }
}

/** The part to answer where only the filter counts and there is no default limit: the lists of role attributes. */
export function clausePaging({ skip, limit }: PagingClauses): Paging {
  const isUnlimited = limit === undefined || limit === 'none' || limit < 0
  return { offset: Math.max(skip ?? 0, 0), limit: isUnlimited ? 'none' : limit }
}

/** The limit as answers report it. */
export function reportedLimit({ limit }: Paging): number | bigint {
  return limit === 'none' ? unlimited : limit
}

/** Reads a `limit` or `offset` parameter; empty counts as absent. Which refusal follows depends on the list. */
export function readPagingParameter(text: string | undefined): number | undefined | 'not an integer' {
  if (text === undefined || text === '') return undefined
  const digits = /^([+-]?)0*([0-9]{1,19})$/.exec(text)
  if (digits === null) return 'not an integer'
  const value = BigInt(`${digits[1] === '-' ? '-' : ''}${digits[2]}`)
  return value >= -unlimited - 1n && value <= unlimited ? Number(value) : 'not an integer'
}

function boundedLimit(limit: number | 'none' | undefined): number | 'none' {
  if (limit === 'none' || limit === -1) return 'none'
  if (limit === undefined || limit < 1) return defaultLimit
  return Math.min(limit, maxLimit)
}
