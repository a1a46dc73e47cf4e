/**
 * Lists of what is no entity: links and circuits are facts of the moment, without a table, tags or advertised fields, but
 * callers filter, sort and page them like everything else.
 */
import type { Answer, Call } from '../../operation/operation.ts'
import type { SymbolTable, SymbolType, Value } from '../../query/symbol.ts'
import { answerQuery } from '../../resource-kit/list-answer.ts'

export type LiveSymbols<T> = SymbolTable<T, undefined>

/** The symbols of a live list: a name, its type, and how it is read. */
export function liveSymbols<T>(
  declared: Readonly<Record<string, readonly [type: SymbolType, value: (item: T) => Value]>>,
): LiveSymbols<T> {
  const entries = Object.entries(declared).map(
    ([name, [type, value]]) => [name, { type, value, isSortable: true }] as const,
  )
  return { symbols: new Map(entries), unknownSymbol: (name) => `unknown symbol ${name}` }
}

export function answerLive<T extends { readonly id: string }>(
  call: Call,
  items: Iterable<T>,
  symbols: LiveSymbols<T>,
  record: (item: T) => unknown,
): Answer {
  const rows = [...items].sort((a, b) => (a.id < b.id ? -1 : 1))
  const source = { size: rows.length, all: () => rows, lookup: () => undefined }
  return answerQuery(call, { source, symbols, context: undefined, record })
}
