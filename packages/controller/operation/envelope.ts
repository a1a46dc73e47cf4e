/**
 * The shapes of successful answers.
 */
import type { Answer } from './operation.ts'

declare global {
  interface JSON {
    /** In the runtime since Node 21; TypeScript's library does not know it yet. */
    rawJSON(text: string): unknown
  }
}

/** What a list says of itself. */
export interface ListMeta {
  readonly limit: number | 'unlimited'
  readonly offset: number
  readonly totalCount: number
  readonly filterableFields?: readonly string[]
}

/** The greatest signed 64-bit integer, digit by digit: peers read it as one, and a JavaScript number cannot hold it. */
const unlimited = JSON.rawJSON('9223372036854775807')

export function answerData(data: unknown, meta: unknown = {}): Answer {
  return { status: 200, body: { data, meta } }
}

/** What updates, deletes and most actions answer. */
export const empty: Answer = { status: 200, body: { data: {}, meta: {} } }

export const accepted: Answer = { status: 202, body: { data: {}, meta: {} } }

export function created(collection: string, id: string): Answer {
  const data = { _links: { self: { href: `./${collection}/${id}` } }, id }
  return { status: 201, body: { data, meta: {} } }
}

export function answerList(data: readonly unknown[], meta: ListMeta, contentType?: string): Answer {
  const { limit, offset, totalCount, filterableFields } = meta
  const pagination = { limit: limit === 'unlimited' ? unlimited : limit, offset, totalCount }
  const body = { data, meta: filterableFields === undefined ? { pagination } : { filterableFields, pagination } }
  return { status: 200, body, ...(contentType === undefined ? {} : { contentType }) }
}
