/**
 * The core of a controller: the store, the tables in memory, the one writer and the kit on top. Everything that is not
 * HTTP hangs on this; `weft controller init` needs nothing else.
 */
import type { Clock } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import { Kit } from '../resource-kit/kit.ts'
import { Registry } from '../resource-kit/registry.ts'
import type { Resource } from '../resource-kit/resource.ts'
import { loadTables, type UnreadableRow } from '../state/load.ts'
import { Tables } from '../state/tables.ts'
import { Writer } from '../state/writer.ts'
import { SqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'

export interface CoreDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Called when the store can no longer be trusted; the process must stop. */
  readonly onFailure: (error: unknown) => void
  readonly onCommit?: (mutations: number, milliseconds: number) => void
}

export interface CoreOptions {
  readonly databaseFile: string
  readonly resources: readonly Resource[]
}

export class Core implements AsyncDisposable {
  readonly store: Store
  readonly registry: Registry
  readonly tables: Tables
  readonly writer: Writer
  readonly kit: Kit
  /** Rows that were in the store and could not be read. */
  readonly unreadable: readonly UnreadableRow[]

  private constructor(parts: Omit<Core, typeof Symbol.asyncDispose>) {
    this.store = parts.store
    this.registry = parts.registry
    this.tables = parts.tables
    this.writer = parts.writer
    this.kit = parts.kit
    this.unreadable = parts.unreadable
  }

  static async open(deps: CoreDeps, { databaseFile, resources }: CoreOptions): Promise<Core> {
    const { clock, log } = deps
    const registry = new Registry(resources)
    const tables = new Tables(registry.specs.values())
    await using opened = new AsyncDisposableStack()
    const store = opened.use(await SqliteStore.open({ file: databaseFile, clock }))
    const unreadable = await loadTables(store, tables)
    for (const { table, id, reason } of unreadable) log.error('stored row set aside', { table, id, reason })
    const journaled = registry.withoutSecrets.bind(registry)
    const writer = new Writer({ ...deps, store, tables, specs: registry.specs, journaled })
    const kit = new Kit({ registry, tables, writer, clock })
    opened.move()
    return new Core({ store, registry, tables, writer, kit, unreadable })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.writer[Symbol.asyncDispose]()
    await this.store[Symbol.asyncDispose]()
  }
}
