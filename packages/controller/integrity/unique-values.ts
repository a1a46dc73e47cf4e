/** Values that no two rows may share, and do. */
import type { Registry } from '../resource-kit/registry.ts'
import type { Row, TableName } from '../state/row.ts'
import type { Tables } from '../state/tables.ts'
import type { Turns } from '../turns.ts'
import type { Finding } from './finding.ts'

export async function checkUniqueValues(
  { registry, tables }: { readonly registry: Registry; readonly tables: Tables },
  turns: Turns,
  report: (finding: Finding) => void,
): Promise<void> {
  for (const { name, unique } of registry.tables.values()) {
    const table = name as TableName
    for (const field of unique) {
      for (const value of tables.keys(table, field)) {
        if (turns.isOver) await turns.next()
        if (tables.countOf(table, field, value) < 2) continue
        const rows = [...(tables.find(table, field, value) as Iterable<Row>)].sort(byAge)
        report({ kind: 'shared', table, field, ids: rows.map((row) => row.id) })
      }
    }
  }
}

/** The oldest first: it had the value before the others took it. */
export function byAge(a: Row, b: Row): number {
  return a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1
}
