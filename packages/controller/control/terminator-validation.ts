/**
 * Whether the terminators that are stored are really hosted: a router is asked about those that were just made and, when it
 * connects, about all it has. What it does not host is deleted; what it does not mention is asked about again.
 *
 * Each question has a mark of its own, so that an answer to an older one deletes nothing that was made since.
 */
import type { RouterTerminatorState } from '@weft/wire/messages'
import type { Clock } from '../clock.ts'
import type { ConnectedRouters } from '../fabric/connected-routers.ts'
import type { Logger } from '../log/logger.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { ControlConnection } from './control-connection.ts'

/** A terminator is asked about when it is at least so old: its router may not have heard yet that it was stored. */
const SETTLED_MILLISECONDS = 5_000
const ROUND_MILLISECONDS = 5_000
const ANSWER_MILLISECONDS = 180_000
const MOST_PER_MESSAGE = 500
/** Of an administrator's question. */
const ASKED_AT_ONCE = 50
const ASKED_MILLISECONDS = 60_000

export interface TerminatorValidationDeps {
  readonly kit: Kit
  readonly routers: ConnectedRouters
  readonly clock: Clock
  readonly log: Logger
}

export class TerminatorValidation implements Disposable {
  readonly #deps: TerminatorValidationDeps
  /** By router, what to ask about and since when. */
  readonly #queued = new Map<string, Map<string, number>>()
  readonly #asking = new Set<string>()
  readonly #timer: NodeJS.Timeout
  #mark = 0n

  constructor(deps: TerminatorValidationDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => this.#round(), ROUND_MILLISECONDS)
    this.#timer.unref()
  }

  /** Asks about one that was made just now. */
  queue(routerId: string, terminatorId: string): void {
    this.#put(routerId, terminatorId, this.#deps.clock.monotonic())
  }

  /** Asks about everything that a router is said to host. */
  queueAll(routerId: string): void {
    for (const { id } of this.#deps.kit.view.find('terminators', 'routerId', routerId)) {
      this.#put(routerId, id, Number.NEGATIVE_INFINITY)
    }
    this.#ask(routerId)
  }

  /**
   * What a router says of terminators that it is said to host, for an administrator: those that it does not mention it
   * cannot tell. With `isFixing` it takes away what it has in vain. Rejects when the router does not answer.
   */
  async check(
    connection: ControlConnection,
    ids: readonly string[],
    { isFixing, signal }: { readonly isFixing: boolean; readonly signal?: AbortSignal },
  ): Promise<ReadonlyMap<string, RouterTerminatorState>> {
    const answers = new Map<string, RouterTerminatorState>()
    const options = { queue: 'low', timeoutMilliseconds: ASKED_MILLISECONDS, ...(signal && { signal }) }
    for (let start = 0; start < ids.length; start += ASKED_AT_ONCE) {
      const some = new Set(ids.slice(start, start + ASKED_AT_ONCE))
      const terminators = this.#described([...some], 0n)
      const body = { terminators, fixInvalid: isFixing, postCreate: false }
      const { message } = await connection.request('validateTerminatorsV2', { body }, options)
      for (const [id, state] of message.body.states) if (some.has(id)) answers.set(id, state)
    }
    return answers
  }

  /** What has still to be asked about, by router. */
  waiting(): readonly {
    readonly routerId: string
    readonly terminators: readonly string[]
    readonly isAsking: boolean
  }[] {
    return [...this.#queued].map(([routerId, queued]) => {
      return { routerId, terminators: [...queued.keys()], isAsking: this.#asking.has(routerId) }
    })
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #put(routerId: string, terminatorId: string, since: number): void {
    const queued = this.#queued.get(routerId)
    if (queued === undefined) this.#queued.set(routerId, new Map([[terminatorId, since]]))
    else queued.set(terminatorId, since)
  }

  #round(): void {
    for (const routerId of this.#queued.keys()) this.#ask(routerId)
  }

  #ask(routerId: string): void {
    const connection = this.#deps.routers.get(routerId)?.connection as ControlConnection | undefined
    if (connection === undefined) {
      this.#queued.delete(routerId)
      return
    }
    if (this.#asking.has(routerId)) return
    const ids = this.#settled(routerId)
    if (ids.length === 0) return
    this.#asking.add(routerId)
    this.#askAbout(connection, ids)
      .catch((err) => {
        if (!connection.channel.isClosed) this.#deps.log.warn('terminators not validated', { router: routerId, err })
      })
      .finally(() => this.#asking.delete(routerId))
  }

  #settled(routerId: string): readonly string[] {
    const queued = this.#queued.get(routerId)
    if (queued === undefined) return []
    const { kit, clock } = this.#deps
    const limit = clock.monotonic() - SETTLED_MILLISECONDS
    const ids: string[] = []
    for (const [id, since] of queued) {
      if (kit.view.get('terminators', id)?.routerId !== routerId) queued.delete(id)
      else if (since <= limit && ids.push(id) >= MOST_PER_MESSAGE) break
    }
    if (queued.size === 0) this.#queued.delete(routerId)
    return ids
  }

  #described(ids: readonly string[], marker: bigint) {
    return ids.flatMap((id) => {
      const row = this.#deps.kit.view.get('terminators', id)
      return row === undefined ? [] : [{ id, binding: row.binding, address: row.address, marker }]
    })
  }

  async #askAbout(connection: ControlConnection, ids: readonly string[]): Promise<void> {
    const { kit } = this.#deps
    const { routerId } = connection
    const marker = ++this.#mark
    const terminators = this.#described(ids, marker)
    const body = { terminators, fixInvalid: true, postCreate: true }
    const { message } = await connection.request(
      'validateTerminatorsV2',
      { body },
      { timeoutMilliseconds: ANSWER_MILLISECONDS },
    )
    const queued = this.#queued.get(routerId)
    const invalid: string[] = []
    for (const [id, state] of message.body.states) {
      if (!ids.includes(id) || (state.marker !== 0n && state.marker !== marker)) continue
      // One that is to be deleted stays until it is: if that fails, the router is asked again.
      if (state.valid) queued?.delete(id)
      else invalid.push(id)
    }
    if (queued?.size === 0) this.#queued.delete(routerId)
    if (invalid.length === 0) return
    this.#deps.log.info('terminators that are not hosted are deleted', { router: routerId, count: invalid.length })
    await kit.writeAsController((change) => {
      for (const id of invalid)
        if (change.view.get('terminators', id)?.routerId === routerId) change.remove('terminators', id)
    })
  }
}
