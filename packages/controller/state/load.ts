/**
 * From the store to the tables: what happens once, at start.
 *
 * A row that cannot be read is set aside and reported; the controller starts without it, and the integrity scan names it.
 */
import type { Store } from '../store/store.ts'
import type { Row, TableName } from './row.ts'
import type { Tables } from './tables.ts'

/** A stored row that is not a row. */
export interface UnreadableRow {
  readonly table: string
  readonly id: string
  readonly reason: string
}

export async function loadTables(store: Store, tables: Tables): Promise<readonly UnreadableRow[]> {
  const unreadable: UnreadableRow[] = []
  const byTable = new Map<TableName, Row[]>()
  await store.load((rows) => {
    for (const { table, id, data } of rows) {
      const row = readRow(data, id)
      if (typeof row === 'string') unreadable.push({ table, id, reason: row })
      else if (!tables.has(table)) unreadable.push({ table, id, reason: 'no such table' })
      else if (byTable.get(table)?.push(row) === undefined) byTable.set(table, [row])
    }
  })
  for (const [table, rows] of byTable) tables.fill(table, rows)
  return unreadable
}

/** The row, or what is wrong with its text. */
export function readRow(data: string, id: string): Row | string {
  let row: unknown
  try {
    row = JSON.parse(data)
  } catch {
    return 'is not valid JSON'
  }
  if (typeof row !== 'object' || row === null || (row as Row).id !== id) return 'is not the row of its id'
  return hasBase(row as Partial<Row>) ? (Object.freeze(row) as Row) : 'lacks what every row has'
}

function hasBase({ createdAt, updatedAt, tags }: Partial<Row>): boolean {
  return isTime(createdAt) && isTime(updatedAt) && typeof tags === 'object' && tags !== null
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
