/**
 * A change in the making: what a mutation uses to read and write.
 *
 * Every write, by whatever path it comes, passes the same gate: values are normalised, what must hold of a field is
 * checked, names stay unique, references must exist, the table's rules run, and what follows from the change is done in the
 * same transaction. Deleting a row unlinks, cascades or is refused, as each referring field declares.
 */
import { ApiError, fieldError, notFound } from '../operation/api-error.ts'
import type { Caller } from '../operation/caller.ts'
import type { Overlay } from '../state/overlay.ts'
import type { Row, TableName, TableRows, Tags } from '../state/row.ts'
import { findOne, type View } from '../state/view.ts'
import type { Field } from './fields.ts'
import { type IdKind, newId } from './ids.ts'
import { indexKeys, withoutKey } from './index-keys.ts'
import type { Registry, TableDefinition } from './registry.ts'

type Values = Readonly<Record<string, unknown>>

export interface CreateOptions {
  readonly id?: string
  readonly idKind?: IdKind
  readonly isSystem?: boolean
}

export class Change {
  /** The state as this mutation sees it, its own changes included. */
  readonly view: View
  /** The time of the change, which becomes `updatedAt`. */
  readonly now: string
  /** Who asked for it; undefined when the controller itself did. */
  readonly caller: Caller | undefined
  readonly #draft: Overlay
  readonly #registry: Registry

  constructor(draft: Overlay, now: string, registry: Registry, caller: Caller | undefined) {
    this.view = draft
    this.now = now
    this.caller = caller
    this.#draft = draft
    this.#registry = registry
  }

  /** The row, or not found. */
  get<T extends TableName>(table: T, id: string): TableRows[T] {
    const row = this.view.get(table, id)
    if (row === undefined) throw notFound(this.#registry.table(table).singular, id)
    return row
  }

  create<T extends TableName>(table: T, values: Values, options: CreateOptions = {}): TableRows[T] {
    const definition = this.#registry.table(table)
    const row: Record<string, unknown> = {
      id: options.id ?? newId(options.idKind ?? 'uuid'),
      createdAt: this.now,
      updatedAt: this.now,
      tags: (values['tags'] as Tags | undefined) ?? {},
      isSystem: options.isSystem ?? false,
    }
    for (const { name, field } of definition.ownFields) {
      const value = values[name]
      row[name] = value === undefined ? field.default : value
    }
    return this.#write(definition, row as unknown as Row, undefined) as TableRows[T]
  }

  /** Lays values over a row. `updatedAt` moves even when nothing else does. */
  update<T extends TableName>(table: T, id: string, values: Values): TableRows[T] {
    const before = this.get(table, id) as Row
    const next = { ...before, ...values, id, createdAt: before.createdAt, updatedAt: later(this.now, before.updatedAt) }
    return this.#write(this.#registry.table(table), next, before) as TableRows[T]
  }

  /** Removes a row and everything that hangs on it. Removing what is not there is not an error. */
  remove(table: TableName, id: string): void {
    const before = this.view.get(table, id) as Row | undefined
    if (before === undefined) return
    const definition = this.#registry.table(table)
    this.#releaseReferrers(definition, id)
    this.#draft.put(table, id, undefined)
    for (const follow of definition.follow) follow(this, undefined, before)
  }

  #write(definition: TableDefinition, row: Row, before: Row | undefined): Row {
    const next = this.#settled(definition, row, before)
    this.#checkUnique(definition, next)
    this.#checkReferences(definition, next, before)
    for (const rule of definition.rules) rule(next, before, this)
    this.#draft.put(definition.name as TableName, next.id, withoutTransient(definition, next))
    for (const follow of definition.follow) follow(this, next, before)
    return (this.view.get(definition.name as TableName, next.id) as Row | undefined) ?? next
  }

  /** The row, which is nobody else's yet, with its values normalised and checked, frozen. */
  #settled(definition: TableDefinition, row: Row, before: Row | undefined): Row {
    const next = row as unknown as Record<string, unknown>
    const old = before as unknown as Values | undefined
    for (const { name, field } of definition.settledFields) {
      const value = next[name]
      if (value === null || value === undefined || value === old?.[name]) continue
      const settled = field.normalise === undefined ? value : field.normalise(value)
      next[name] = settled
      if (settled !== null) field.holds?.(settled, field.input ?? name)
    }
    for (const { name, derive } of definition.derived) next[name] = derive(next)
    return Object.freeze(next) as unknown as Row
  }

  #checkUnique(definition: TableDefinition, next: Row): void {
    for (const name of definition.unique) {
      const value = (next as unknown as Values)[name]
      if (typeof value !== 'string' || value === '') continue
      const holder = findOne(this.view, definition.name as TableName, name, value) as Row | undefined
      if (holder !== undefined && holder.id !== next.id) {
        const { reason, field = name } = definition.fields[name]!.unique!
        const told = (next as unknown as Values)[field] ?? value
        throw fieldError(field, reason(value, definition.name, next, holder), told)
      }
    }
  }

  #checkReferences(definition: TableDefinition, next: Row, before: Row | undefined): void {
    const now = next as unknown as Values
    const old = before as unknown as Values | undefined
    for (const { name, field } of definition.pointingFields) {
      const value = now[name]
      if (value === old?.[name] || value === null || value === undefined || value === '') continue
      if (field.selects !== undefined) this.#checkRoles(name, field, value as readonly string[])
      else if (field.refersTo !== undefined) this.#checkTargets(field, value)
    }
  }

  #checkTargets(field: Field, value: unknown): void {
    const table = field.refersTo!.table as TableName
    for (const id of indexKeys(value)) {
      if (this.view.get(table, id) !== undefined) continue
      if (field.refersTo!.missing !== undefined) throw field.refersTo!.missing(id)
      throw notFound(typeof value === 'string' ? this.#registry.table(table).singular : table, id)
    }
  }

  #checkRoles(name: string, field: Field, roles: readonly string[]): void {
    const table = field.selects as TableName
    const missing: string[] = []
    for (const role of roles) {
      if (!role.startsWith('@')) continue
      const row = this.view.get(table, role.slice(1)) as Row | undefined
      if (row === undefined || field.isSelectable?.(row) === false) missing.push(role.slice(1))
    }
    if (missing.length > 0) throw fieldError(name, `no ${table} found with the given ids`, missing.join(' '))
  }

  #releaseReferrers(definition: TableDefinition, id: string): void {
    for (const { table, fieldName, field } of this.#registry.referrers(definition.name)) {
      const key = field.selects === undefined ? id : `@${id}`
      const rows = [...(this.view.find(table as TableName, fieldName, key) as Iterable<Row>)]
      if (rows.length === 0) continue
      const policy = field.selects === undefined ? field.refersTo!.onTargetDeleted : 'unlink'
      if (policy === 'refuse') throw this.#referenced(definition, table, fieldName, rows)
      for (const row of rows) {
        if (policy === 'cascade') this.remove(table as TableName, row.id)
        else this.#unlink(table as TableName, row, fieldName, key)
      }
    }
  }

  #unlink(table: TableName, row: Row, fieldName: string, key: string): void {
    const current = this.view.get(table, row.id) as unknown as Values | undefined
    if (current === undefined) return
    this.update(table, row.id, { [fieldName]: withoutKey(current[fieldName], key) })
  }

  #referenced(definition: TableDefinition, table: string, field: string, rows: readonly Row[]): ApiError {
    const ids = `[${rows
      .slice(0, 10)
      .map((row) => row.id)
      .join(' ')}]`
    const referrer = this.#registry.table(table).singular
    const reason = `entity type ${definition.singular} referenced by ${referrer}: ${ids}`
    return new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', { cause: { field, reason, value: ids } })
  }
}

/** Made anew: an object that has lost a member takes several times the memory of one that never had it. */
function withoutTransient({ transient }: TableDefinition, row: Row): Row {
  if (transient.length === 0) return row
  const values = row as unknown as Values
  const kept: Record<string, unknown> = {}
  for (const name in values) if (!transient.includes(name)) kept[name] = values[name]
  return Object.freeze(kept) as unknown as Row
}

/** `now`, or one millisecond after what was, whichever is later: an accepted write always moves `updatedAt`. */
function later(now: string, before: string): string {
  return now > before ? now : new Date(Date.parse(before) + 1).toISOString()
}
