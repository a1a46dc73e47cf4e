/**
 * The kit at work: the declarations, the state they live in, and the writer that changes it.
 *
 * Route files that are not resources use it too, for the same reads, writes and records.
 */

import { type Clock, timestamp } from '../clock.ts'
import { ApiError, tooManyRequests } from '../operation/api-error.ts'
import type { Caller } from '../operation/caller.ts'
import type { Call } from '../operation/operation.ts'
import type { Row } from '../state/row.ts'
import type { View } from '../state/view.ts'
import { type ChangeCause, type Writer, WriterBusyError } from '../state/writer.ts'
import { StoreError } from '../store/store.ts'
import { Turns } from '../turns.ts'
import { Change } from './change.ts'
import type { EntityReference } from './entity-reference.ts'
import type { Registry } from './registry.ts'
import { Renderer } from './render.ts'
import type { Place, Rendering } from './resource.ts'

export interface KitDeps {
  readonly registry: Registry
  readonly tables: View
  readonly writer: Writer
  readonly clock: Clock
}

/** Whose doing a change is when the caller is nobody yet: who enrolls, or logs in. */
export interface Arrival {
  readonly table: 'identities' | 'routers'
  readonly id: string
}

const controllerCause: ChangeCause = { author: { type: 'controller', id: 'controller', name: 'controller' } }

export class Kit {
  readonly registry: Registry
  /** The present. */
  readonly view: View
  readonly renderer: Renderer
  readonly #writer: Writer
  readonly #clock: Clock

  constructor({ registry, tables, writer, clock }: KitDeps) {
    this.registry = registry
    this.view = tables
    this.renderer = new Renderer(registry)
    this.#writer = writer
    this.#clock = clock
  }

  /** Runs a mutation for a caller; answers when it is durable and visible. */
  write<T>(call: Call, mutate: (change: Change) => T, arrival?: Arrival): Promise<T> {
    const author = arrival && this.#authorOf(arrival)
    return this.#submit({ ...causeOf(call), ...(author && { author }) }, call.caller, mutate, true)
  }

  /** Runs a mutation of the controller's own. */
  writeAsController<T>(mutate: (change: Change) => T, options: { readonly isJournaled?: boolean } = {}): Promise<T> {
    return this.#submit(controllerCause, undefined, mutate, options.isJournaled ?? true)
  }

  /** Runs a mutation in the name of whoever else is its cause. */
  writeFor<T>(cause: ChangeCause, mutate: (change: Change) => T): Promise<T> {
    return this.#submit(cause, undefined, mutate, true)
  }

  rendering(call: Call, place: Place, view: View = this.view): Rendering {
    const clock = this.#clock
    let now: string | undefined
    return {
      view,
      call,
      caller: call.caller,
      place,
      // Most records do not depend on it, and its text takes longer than many of their members.
      get now() {
        now ??= timestamp(clock.now())
        return now
      },
      reference: (collection, id) => this.renderer.reference(collection, id, { view }),
    }
  }

  /** For work that is long: how long a turn of it may last. */
  turns(): Turns {
    return new Turns(this.#clock)
  }

  record(collection: string, row: Row, call: Call, place: Place = 'detail'): Record<string, unknown> {
    return this.renderer.record(this.registry.resource(collection), row, this.rendering(call, place))
  }

  reference(collection: string, id: string): EntityReference | undefined {
    return this.renderer.reference(collection, id, this)
  }

  #authorOf({ table, id }: Arrival): ChangeCause['author'] {
    const type = table === 'routers' ? 'router' : 'identity'
    return { type, id, name: this.view.get(table, id)?.name ?? '' }
  }

  async #submit<T>(
    cause: ChangeCause,
    caller: Caller | undefined,
    mutate: (change: Change) => T,
    isJournaled: boolean,
  ): Promise<T> {
    try {
      const run = (draft: ConstructorParameters<typeof Change>[0], time: string) =>
        mutate(new Change(draft, time, this.registry, caller))
      return await this.#writer.submit(cause, run, { isJournaled })
    } catch (error) {
      if (error instanceof WriterBusyError) {
        throw tooManyRequests(error)
      }
      if (error instanceof StoreError) throw new ApiError('STORE_FAILED', { origin: error })
      throw error
    }
  }
}

function causeOf(call: Call): ChangeCause {
  const { caller } = call
  const traceId = call.query.get('traceId')
  return {
    author:
      caller.kind === 'nobody'
        ? { type: 'unattributed', id: '', name: '' }
        : { type: 'identity', id: caller.identityId, name: caller.identityName },
    source: { type: 'rest', auth: 'edge', method: call.method, localAddr: call.host, remoteAddr: call.remoteEnd },
    ...(traceId === null ? {} : { traceId }),
  }
}
