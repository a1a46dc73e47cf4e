/**
 * Mends what a scan found, one mutation for each finding, so that one that cannot be mended stands alone.
 *
 * What the controller holds is written to the disk again. What it lost is put back as the journal last showed it, unless
 * that image lacks secrets. What is left pointing at nothing is put back to what it pointed at before, or treated as if
 * its target had just been deleted.
 */

import type { Logger } from '../log/logger.ts'
import { ApiError } from '../operation/api-error.ts'
import type { Change } from '../resource-kit/change.ts'
import type { Field } from '../resource-kit/fields.ts'
import { withoutKey } from '../resource-kit/index-keys.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { TableDefinition } from '../resource-kit/registry.ts'
import type { Row, TableName } from '../state/row.ts'
import { findOne, type View } from '../state/view.ts'
import type { Writer } from '../state/writer.ts'
import { type Store, StoreError } from '../store/store.ts'
import { describeFinding, type Finding } from './finding.ts'
import { type JournaledRow, readImage } from './journaled-rows.ts'
import { danglingKeys, rowIn } from './references.ts'
import { integrityCause } from './scan.ts'

export interface RepairDeps {
  readonly store: Pick<Store, 'journal'>
  readonly kit: Kit
  readonly writer: Writer
  readonly log: Logger
}

type Values = Readonly<Record<string, unknown>>
type Of<Kind extends Finding['kind']> = Finding & { readonly kind: Kind }

export class Repair {
  readonly #store: Pick<Store, 'journal'>
  readonly #kit: Kit
  readonly #writer: Writer
  readonly #log: Logger

  constructor({ store, kit, writer, log }: RepairDeps) {
    this.#store = store
    this.#kit = kit
    this.#writer = writer
    this.#log = log
  }

  /** Answers whether the finding is mended. Throws only when the store fails. */
  async mend(finding: Finding): Promise<boolean> {
    try {
      return await this.#mend(finding)
    } catch (err) {
      if (isStoreFailure(err)) throw err
      this.#log.error('data integrity: not mended', { finding: describeFinding(finding), err })
      return false
    }
  }

  async #mend(finding: Finding): Promise<boolean> {
    switch (finding.kind) {
      case 'engine':
        return false
      case 'unreadable':
        if (finding.index === undefined) return await this.#restate(finding)
        return await this.#putBack({ ...finding, index: finding.index })
      case 'of no table':
      case 'not stored':
      case 'stored differently':
      case 'stored only':
        return await this.#restate(finding)
      case 'lost':
        return await this.#putBack(finding)
      case 'deleted':
        return await this.#remove(finding)
      case 'dangling':
        return await this.#relink(finding)
      case 'shared':
        return await this.#tellApart(finding)
    }
  }

  async #restate({ table, id }: { readonly table: string; readonly id: string }): Promise<true> {
    await this.#writer.restate(integrityCause, [{ table, id }])
    return true
  }

  /** The row from the journal; where that cannot be, its loss is made known, and what hangs on it is dangling. */
  async #putBack({ table, id, index }: JournaledRow): Promise<true> {
    const definition = this.#kit.registry.table(table)
    const image = await readImage(this.#store, { table, id, index })
    const isPutBack =
      image !== undefined &&
      definition.secrets.length === 0 &&
      (await this.#writer.submit(integrityCause, (draft) => {
        const row = complete(definition, image)
        if (draft.get(table as TableName, id) !== undefined || clashes(definition, row, draft)) return false
        draft.put(table as TableName, id, row)
        return true
      }))
    if (!isPutBack) {
      const before = image === undefined ? '{}' : JSON.stringify(image)
      await this.#writer.restate(integrityCause, [{ table, id, journal: { before, after: null } }])
    }
    return true
  }

  /** Deletes the row again, or, where others need it, lets the journal know that it exists. */
  async #remove({ table, id }: Of<'deleted'>): Promise<true> {
    try {
      await this.#kit.writeAsController((change) => change.remove(table as TableName, id))
    } catch (error) {
      if (!(error instanceof ApiError) || isStoreFailure(error)) throw error
      const row = rowIn(this.#kit.view, table, id)
      if (row !== undefined) {
        const after = JSON.stringify(this.#kit.registry.withoutSecrets(table, row))
        await this.#writer.restate(integrityCause, [{ table, id, journal: { before: null, after } }])
      }
    }
    return true
  }

  async #relink({ table, id, field: name, index }: Of<'dangling'>): Promise<true> {
    const field = this.#kit.registry.table(table).fields[name]!
    const image = index === undefined ? undefined : await readImage(this.#store, { table, id, index })
    const known = (image as unknown as Values | undefined)?.[name]
    await this.#kit.writeAsController((change) => {
      const value = (rowIn(change.view, table, id) as unknown as Values | undefined)?.[name]
      const dangling = danglingKeys(field, value, change.view)
      if (dangling.length === 0) return
      const next = knownValue(field, known, change) ?? released(field, value, dangling, change)
      if (next === undefined) change.remove(table as TableName, id)
      else change.update(table as TableName, id, { [name]: next })
    })
    return true
  }

  /** The oldest row keeps the value; the others get one of their own, or none, or go. */
  async #tellApart({ table, field: name, ids }: Of<'shared'>): Promise<true> {
    const field = this.#kit.registry.table(table).fields[name]!
    await this.#kit.writeAsController((change) => {
      for (const id of ids.slice(1)) {
        const row = rowIn(change.view, table, id) as unknown as Values | undefined
        if (row === undefined) continue
        if (field.default === null) change.update(table as TableName, id, { [name]: null })
        else if (field.setBy === 'server' || field.isSecret) change.remove(table as TableName, id)
        else change.update(table as TableName, id, { [name]: `${row[name]} (${id})` })
      }
    })
    return true
  }
}

function isStoreFailure(error: unknown): boolean {
  return error instanceof StoreError || (error instanceof ApiError && error.code === 'STORE_FAILED')
}

/** An image with what its table has gained since. */
function complete({ fields }: TableDefinition, image: Row): Row {
  const row: Record<string, unknown> = { ...image }
  for (const [name, field] of Object.entries(fields)) if (!field.isTransient) row[name] ??= field.default
  return Object.freeze(row) as unknown as Row
}

function clashes({ name, unique }: TableDefinition, row: Row, view: View): boolean {
  return unique.some((field) => {
    const value = (row as unknown as Values)[field]
    return typeof value === 'string' && value !== '' && findOne(view, name as TableName, field, value) !== undefined
  })
}

/** What the journal knew the field to be, if all of that is still there. */
function knownValue(field: Field, known: unknown, change: Change): unknown {
  if (known === undefined || known === null) return undefined
  return danglingKeys(field, known, change.view).length === 0 ? known : undefined
}

/** What the field becomes when its targets are deleted; undefined when the row goes with them. */
function released(field: Field, value: unknown, dangling: readonly string[], change: Change): unknown {
  if (field.selects === undefined && field.refersTo?.onTargetDeleted !== 'unlink') {
    if (field.refersTo?.onTargetDeleted === 'cascade') return undefined
    if (field.default === null) return null
    const isUsable = field.default !== '' && danglingKeys(field, field.default, change.view).length === 0
    return isUsable ? field.default : undefined
  }
  return dangling.reduce(withoutKey, value)
}
