/**
 * The filter symbols of a resource: those every entity has, those its fields declare, and those it adds.
 *
 * It is an allow-list. A field without a symbol cannot be filtered or sorted by, and a secret never has one.
 */
import type { FilterSymbol, SymbolTable, Value } from '../query/symbol.ts'
import type { Row, TableName } from '../state/row.ts'
import type { Field } from './fields.ts'
import type { Rendering, Resource } from './resource.ts'

export type ResourceSymbols = SymbolTable<Row, Rendering>

export function symbolsOf(resource: Pick<Resource, 'collection' | 'fields' | 'symbols'>): ResourceSymbols {
  const symbols = new Map<string, FilterSymbol<Row, Rendering>>([
    ['id', { type: 'string', value: (row) => row.id, index: 'id', isSortable: true }],
    ['createdAt', { type: 'datetime', value: (row) => row.createdAt, isSortable: true }],
    ['updatedAt', { type: 'datetime', value: (row) => row.updatedAt, isSortable: true }],
    ['isSystem', { type: 'bool', value: (row) => row.isSystem, isSortable: true }],
  ])
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.symbol === undefined) continue
    if (field.isSecret) throw new Error(`${resource.collection}.${name} is secret and must not be filterable`)
    symbols.set(field.symbol === true ? name : field.symbol, symbolOf(name, field))
  }
  for (const [name, symbol] of Object.entries(resource.symbols ?? {})) symbols.set(name, symbol)
  return { symbols, tag: (row, key) => (Object.hasOwn(row.tags, key) ? row.tags[key]! : null) }
}

/** The names a list advertises. */
export function filterableFields(symbols: ResourceSymbols): readonly string[] {
  return [...symbols.symbols.keys(), 'tags']
}

function symbolOf(name: string, field: Field): FilterSymbol<Row, Rendering> {
  const read = (row: Row) => (row as unknown as Record<string, unknown>)[name]
  const isIndexed = field.unique ?? field.refersTo ?? field.selects ?? field.isRoleAttributes
  const index = isIndexed ? { index: name } : {}
  if (!field.isSet) {
    const value = (row: Row) => (read(row) ?? null) as Value
    return { type: field.symbolType, value, ...index, isSortable: field.symbolType !== 'other' }
  }
  const target = field.refersTo?.table
  const linked =
    target === undefined
      ? {}
      : { linked: (id: string, { view }: Rendering) => view.get(target as TableName, id) as Row | undefined }
  return { type: field.symbolType, elements: (row) => read(row) as Iterable<Value>, ...index, ...linked }
}
