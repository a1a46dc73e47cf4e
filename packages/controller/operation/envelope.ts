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

/**
 * A body that is text already, as JSON of `data` and `meta`. Whoever wants to look into it before it is sent gets them
 * as values.
 */
export class WrittenBody {
  readonly text: string
  readonly meta: unknown
  readonly #data: () => unknown

  constructor(text: string, data: () => unknown, meta: unknown) {
    this.text = text
    this.meta = meta
    this.#data = data
  }

  get data(): unknown {
    return this.#data()
  }
}

const noMeta = {}

/** One record that is text already. */
export function writtenData(record: string, data: () => unknown): Answer {
  return { status: 200, body: new WrittenBody(`{"data":${record},"meta":{}}`, data, noMeta) }
}

/** A list of records that are text already. */
export function writtenList(
  records: readonly string[],
  data: () => readonly unknown[],
  meta: ListMeta,
  contentType?: string,
): Answer {
  const shown = listMeta(meta)
  const text = `{"data":[${records.join(',')}],"meta":${JSON.stringify(shown)}}`
  return {
    status: 200,
    body: new WrittenBody(text, data, shown),
    ...(contentType === undefined ? {} : { contentType }),
  }
}

/** Characters that are sent at a time. */
const PIECE = 65_536

/** A list that is written while it is sent: as a whole it may be too much for memory. */
export class StreamedList {
  readonly meta: unknown
  readonly #records: () => Iterable<string>
  readonly #data: () => unknown

  constructor(records: () => Iterable<string>, data: () => unknown, meta: unknown) {
    this.#records = records
    this.#data = data
    this.meta = meta
  }

  get data(): unknown {
    return this.#data()
  }

  /** All of them together are the body. */
  *pieces(): Generator<string> {
    let piece = '{"data":['
    let separator = ''
    for (const record of this.#records()) {
      piece += separator + record
      separator = ','
      if (piece.length < PIECE) continue
      yield piece
      piece = ''
    }
    yield `${piece}],"meta":${JSON.stringify(this.meta)}}`
  }
}

/** A list of records that become text only when it is their turn to be sent. */
export function streamedList(
  records: () => Iterable<string>,
  data: () => readonly unknown[],
  meta: ListMeta,
  contentType?: string,
): Answer {
  const body = new StreamedList(records, data, listMeta(meta))
  return { status: 200, body, ...(contentType === undefined ? {} : { contentType }) }
}

export function answerList(data: readonly unknown[], meta: ListMeta, contentType?: string): Answer {
  const body = { data, meta: listMeta(meta) }
  return { status: 200, body, ...(contentType === undefined ? {} : { contentType }) }
}

function listMeta({ limit, offset, totalCount, filterableFields }: ListMeta) {
  const pagination = { limit: limit === 'unlimited' ? unlimited : limit, offset, totalCount }
  return filterableFields === undefined ? { pagination } : { filterableFields, pagination }
}
