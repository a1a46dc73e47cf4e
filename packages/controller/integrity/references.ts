/** References and roles that point at rows which are not there. */
import type { Field } from '../resource-kit/fields.ts'
import { indexKeys } from '../resource-kit/index-keys.ts'
import type { Registry } from '../resource-kit/registry.ts'
import type { Row, TableName } from '../state/row.ts'
import type { Tables } from '../state/tables.ts'
import type { View } from '../state/view.ts'
import type { Turns } from '../turns.ts'
import type { Finding } from './finding.ts'

export async function checkReferences(
  { registry, tables }: { readonly registry: Registry; readonly tables: Tables },
  turns: Turns,
  report: (finding: Finding) => void,
): Promise<void> {
  for (const { name: table, fields } of registry.tables.values()) {
    const referring = Object.entries(fields).filter(([, field]) => targetOf(field) !== undefined)
    if (referring.length === 0) continue
    for (const { id } of tables.unordered(table as TableName) as Iterable<Row>) {
      if (turns.isOver) await turns.next()
      // As it is in this turn, which need not be the one it was handed over in.
      const row = rowIn(tables, table, id) as unknown as Readonly<Record<string, unknown>> | undefined
      if (row === undefined) continue
      for (const [name, field] of referring) {
        for (const key of danglingKeys(field, row[name], tables)) {
          const isRole = field.selects !== undefined
          const target = { target: targetOf(field)!, targetId: isRole ? key.slice(1) : key, isRole }
          report({ kind: 'dangling', table, id, field: name, ...target })
        }
      }
    }
  }
}

/** The table whose rows a field points at. */
export function targetOf(field: Field): string | undefined {
  return field.selects ?? field.refersTo?.table
}

/** The keys of a value that point at nothing: ids, or `@id` where roles are held. */
export function danglingKeys(field: Field, value: unknown, view: View): string[] {
  const table = targetOf(field) as TableName
  const isMissing = (id: string) => view.get(table, id) === undefined
  if (field.selects === undefined) return indexKeys(value).filter(isMissing)
  return indexKeys(value).filter((role) => String(role).startsWith('@') && isMissing(role.slice(1)))
}

/** The row that a finding is about, whatever table it is in. */
export function rowIn(view: View, table: string, id: string): Row | undefined {
  return view.get(table as TableName, id) as Row | undefined
}
