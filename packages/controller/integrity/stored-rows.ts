/** What the disk holds, row by row, against what the controller holds. */
import { isDeepStrictEqual } from 'node:util'
import { readRow } from '../state/load.ts'
import type { Row } from '../state/row.ts'
import type { Tables } from '../state/tables.ts'
import type { Store, StoredRow } from '../store/store.ts'
import type { Turns } from '../turns.ts'
import type { Finding } from './finding.ts'

export interface StoredRowsDeps {
  readonly store: Pick<Store, 'load'>
  readonly tables: Tables
}

export async function compareStoredRows(
  { store, tables }: StoredRowsDeps,
  turns: Turns,
  report: (finding: Finding) => void,
): Promise<void> {
  const seen = new Map<string, Set<string>>(tables.names.map((table) => [table, new Set()]))
  await store.load(async (rows) => {
    for (const row of rows) {
      if (turns.isOver) await turns.next()
      const finding = compare(tables, row)
      if (finding !== undefined) report(finding)
      // The id as the table holds it: the one of the chunk would be kept in memory for nothing.
      const held = tables.has(row.table) ? (tables.get(row.table, row.id) as Row | undefined) : undefined
      if (held !== undefined) seen.get(row.table)!.add(held.id)
    }
  })
  for (const table of tables.names) {
    const stored = seen.get(table)!
    for (const { id } of tables.unordered(table) as Iterable<Row>) {
      if (turns.isOver) await turns.next()
      if (!stored.has(id)) report({ kind: 'not stored', table, id })
    }
  }
}

function compare(tables: Tables, { table, id, data }: StoredRow): Finding | undefined {
  if (!tables.has(table)) return { kind: 'of no table', table, id }
  const held = tables.get(table, id) as Row | undefined
  if (held !== undefined && JSON.stringify(held) === data) return undefined
  const stored = readRow(data, id)
  if (typeof stored === 'string') return { kind: 'unreadable', table, id, reason: stored }
  if (held === undefined) return { kind: 'stored only', table, id }
  return isDeepStrictEqual(stored, held) ? undefined : { kind: 'stored differently', table, id }
}
