/**
 * Lists that are part of the program: nothing of them is stored or can be changed, but they are read, filtered, sorted and
 * paged like any other.
 */

import { notFound } from '../../operation/api-error.ts'
import { answerData } from '../../operation/envelope.ts'
import { type Call, listParameters, type Operation } from '../../operation/operation.ts'
import { text } from '../../resource-kit/fields.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { answerQuery } from '../../resource-kit/list-answer.ts'
import { filterableFields, symbolsOf } from '../../resource-kit/symbols.ts'
import type { Row } from '../../state/row.ts'

export interface FixedEntry {
  readonly id: string
  readonly name: string
}

export interface FixedList<E extends FixedEntry> {
  readonly collection: string
  readonly singular: string
  readonly operationIds: { readonly list: string; readonly detail: string }
  readonly entries: readonly E[]
  /** The content type of the list, where the peers send another than of everything else. */
  readonly listContentType?: string
}

/** When what is part of the program came to be, as far as anybody needs to know. */
const MADE_AT = '2026-01-01T00:00:00.000Z'

export function fixedListOperations<E extends FixedEntry>(kit: Kit, list: FixedList<E>): Operation[] {
  const { collection, singular, operationIds, entries, listContentType: contentType } = list
  const rows: readonly (E & Row)[] = entries
    .map((entry) => ({ ...entry, createdAt: MADE_AT, updatedAt: MADE_AT, tags: {}, isSystem: false }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const symbols = symbolsOf({ collection, fields: { name: text({ symbol: true }) } })
  const listed = {
    source: { size: rows.length, all: () => rows, lookup: () => undefined },
    symbols,
    filterableFields: filterableFields(symbols),
  }
  const record = ({ isSystem: _, ...row }: Row) => ({ ...row, _links: { self: { href: `./${collection}/${row.id}` } } })
  return [
    {
      operationId: operationIds.list,
      method: 'GET',
      path: `/${collection}`,
      access: 'session',
      parameters: listParameters,
      handle: (call) => answerQuery(call, { ...listed, context: kit.rendering(call, 'list'), record, contentType }),
    },
    {
      operationId: operationIds.detail,
      method: 'GET',
      path: `/${collection}/{id}`,
      access: 'session',
      handle(call: Call) {
        const id = call.params['id']!
        const row = rows.find((candidate) => candidate.id === id)
        if (row === undefined) throw notFound(singular, id)
        return answerData(record(row))
      },
    },
  ]
}
