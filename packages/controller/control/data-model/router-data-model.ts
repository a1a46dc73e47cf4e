/**
 * What routers know of the network, on the sending side: the change sets of the last while, in order, and the whole state
 * as it is now.
 *
 * Each change set has the journal index of the last commit in it and names the one before, so that a router sees when it
 * has missed one. Bytes are made once and shared by all routers; only what speaks of a router's own configs is made for it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OutgoingMessage } from '@weft/wire'
import { controlMessages, dataState } from '@weft/wire/messages'
import { Followers } from '../../fabric/followers.ts'
import type { TableSpec } from '../../state/index-spec.ts'
import type { View } from '../../state/view.ts'
import type { Commit, Writer } from '../../state/writer.ts'
import { type ChangeSetForRouters, changeSetFor } from './change-set-for-routers.ts'
import { changeEvents } from './change-sets.ts'
import type { DataEventInit } from './data-event.ts'
import { modelTableNames } from './entities.ts'
import { configsFor, fullState } from './full-state.ts'
import { keyChanges, type PublishedCertificates, publicKeyEvents } from './public-keys.ts'

const USUAL_LOG_SIZE = 10_000
/** Events encoded without letting anybody else run. */
const SLICE = 500
/** A state that changes all the time is encoded at one go in the end. */
const MOST_RESTARTS = 3

export interface RouterDataModelOptions {
  /** Change sets that are kept; a router that has missed more gets the whole state. */
  readonly logSize?: number
}

export interface RouterDataModelDeps {
  readonly view: View
  readonly specs: ReadonlyMap<string, TableSpec>
  readonly writer: Pick<Writer, 'follow'>
  readonly certificates: PublishedCertificates
  /** Where the store stands when the model begins, and which history it is. */
  readonly head: { readonly index: number; readonly timeline: string }
}

/** The whole state as one router is to get it. */
export interface StateForRouter {
  readonly index: number
  readonly body: Buffer
}

interface SharedState {
  readonly index: number
  readonly configTypes: Buffer
  readonly rest: Buffer
}

export class RouterDataModel implements Disposable {
  readonly timelineId: string
  readonly #deps: RouterDataModelDeps
  readonly #logSize: number
  readonly #followers = new Followers<void>()
  readonly #unfollow: () => void
  #log: ChangeSetForRouters[] = []
  #index: number
  /** The index before the oldest change set that is kept. */
  #logBegins: number
  #keys: readonly DataEventInit[]
  #shared: Promise<SharedState> | undefined

  constructor(deps: RouterDataModelDeps, { logSize = USUAL_LOG_SIZE }: RouterDataModelOptions = {}) {
    this.#deps = deps
    this.#logSize = logSize
    this.timelineId = deps.head.timeline
    // Routers take 0 for "nothing known", so a state is never numbered so.
    this.#index = Math.max(1, deps.head.index)
    this.#logBegins = this.#index
    this.#keys = publicKeyEvents(deps.certificates)
    this.#unfollow = deps.writer.follow((commits) => this.#changed(commits))
  }

  /** Of the newest change set. */
  get index(): number {
    return this.#index
  }

  /** Told after each change. */
  follow(follower: () => void): () => void {
    return this.#followers.add(follower)
  }

  /** The next change set after an index; `unknown` when the log does not reach back so far, undefined at the end. */
  after(index: number): ChangeSetForRouters | 'unknown' | undefined {
    if (index === this.#index) return undefined
    if (index < this.#logBegins || index > this.#index) return 'unknown'
    const at = lowerBound(this.#log, index + 1)
    const isInLog = index === this.#logBegins || this.#log[at - 1]?.index === index
    return isInLog ? this.#log[at] : 'unknown'
  }

  /** Without a router: what the controller itself has, the configs of every router among it. */
  async stateFor(routerId?: string): Promise<StateForRouter> {
    const shared = await this.#sharedState()
    const { view } = this.#deps
    // The configs are of this moment; if they have changed meanwhile, the change sets that follow say so again.
    const configs = dataState.encode({ events: [...configsFor(view, routerId)] })
    const end = dataState.encode({ endIndex: shared.index, timelineId: this.timelineId })
    return { index: shared.index, body: Buffer.concat([shared.configTypes, configs, shared.rest, end]) }
  }

  /** The public keys alone, as routers get them when they have said hello. */
  publicKeysMessage(): Required<OutgoingMessage> {
    return controlMessages.encode('dataStateChangeSet', { body: { isSynthetic: true, changes: this.#keys } })
  }

  [Symbol.dispose](): void {
    this.#unfollow()
  }

  #changed(commits: readonly Commit[]): void {
    const former = this.#keys
    if (touches(commits, keyTables)) this.#keys = publicKeyEvents(this.#deps.certificates)
    const newKeys = former === this.#keys ? [] : keyChanges(former, this.#keys)
    if (newKeys.length === 0 && !touches(commits, modelTableNames)) return
    if (this.#followers.size === 0) this.#forget(commits.at(-1)!.index)
    else this.#record(commits, newKeys)
  }

  /** No router listens: whoever comes gets the whole state, so there is nothing to work out and nothing to keep. */
  #forget(index: number): void {
    this.#log = []
    this.#logBegins = index
    this.#index = index
    this.#shared = undefined
  }

  #record(commits: readonly Commit[], newKeys: readonly DataEventInit[]): void {
    const { view, specs } = this.#deps
    const change = changeEvents(commits, view, specs)
    const events = [...(change?.events ?? []), ...newKeys]
    if (events.length === 0) return
    const index = commits.at(-1)!.index
    this.#log.push(changeSetFor(view, { index, previousIndex: this.#index, events }))
    this.#index = index
    this.#shared = undefined
    if (this.#log.length > this.#logSize * 1.1) {
      const dropped = this.#log.splice(0, this.#log.length - this.#logSize)
      this.#logBegins = dropped.at(-1)!.index
    }
    this.#followers.tell()
  }

  #sharedState(): Promise<SharedState> {
    if (this.#shared === undefined) {
      const encoding = this.#encodeShared()
      this.#shared = encoding
      encoding.catch(() => {
        if (this.#shared === encoding) this.#shared = undefined
      })
    }
    return this.#shared
  }

  async #encodeShared(): Promise<SharedState> {
    for (let restarts = 0; ; restarts++) {
      const encoded = await this.#encodeOnce(restarts < MOST_RESTARTS)
      if (encoded !== undefined) return encoded
    }
  }

  /** Undefined when the state has changed while it was being encoded. */
  async #encodeOnce(isInTurns: boolean): Promise<SharedState | undefined> {
    const { view } = this.#deps
    const index = this.#index
    const { configTypes, rest } = fullState(view, () => this.#keys)
    const pieces: Buffer[] = []
    let slice: DataEventInit[] = []
    for (const event of rest()) {
      slice.push(event)
      if (slice.length < SLICE) continue
      pieces.push(dataState.encode({ events: slice }))
      slice = []
      if (!isInTurns) continue
      await nextTurn()
      if (this.#index !== index) return undefined
    }
    pieces.push(dataState.encode({ events: slice }))
    const types = dataState.encode({ events: [...configTypes()] })
    return { index, configTypes: types, rest: Buffer.concat(pieces) }
  }
}

/** Changes of these may bring other certificates: third-party authorities, and what a controller says of itself. */
const keyTables: ReadonlySet<string> = new Set(['cas', 'controllers'])

function touches(commits: readonly Commit[], tables: ReadonlySet<string>): boolean {
  return commits.some(({ changes }) => changes.some(({ table }) => tables.has(table)))
}

/** The first place whose index is at least the wanted one. */
function lowerBound(log: readonly { readonly index: number }[], wanted: number): number {
  let low = 0
  let high = log.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (log[middle]!.index < wanted) low = middle + 1
    else high = middle
  }
  return low
}
