/**
 * What routers know of API sessions with opaque tokens: a router lets in only those that it has been told of.
 *
 * Changes become messages once, in a log that all routers share; each router has a place in it. One that has just said
 * hello, asks for it, or has fallen behind what is kept, is told of all sessions. What it then still knows in vain, it finds
 * out by its heartbeats.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { lastingMessage, type OutgoingMessage } from '@weft/wire'
import { controlMessages } from '@weft/wire/messages'
import type { Clock } from '../../clock.ts'
import type { Logger } from '../../log/logger.ts'
import type { View } from '../../state/view.ts'
import type { Commit, Writer } from '../../state/writer.ts'
import type { ControlConnection } from '../control-connection.ts'
import { MOST_API_SESSIONS, SessionChanges } from './session-changes.ts'
import { isComplete, type SessionRecord, sessionRecord } from './session-record.ts'
import { SYNC_STRATEGY, SyncIds, syncState } from './sync-state.ts'

export interface SessionSyncDeps {
  readonly view: View
  readonly writer: Pick<Writer, 'follow'>
  readonly clock: Clock
  readonly log: Logger
}

/** Messages that are kept for routers that are slow. */
const MOST_MESSAGES = 10_000
/** From so many on it is worth looking for those that nobody needs. */
const TRIMMED_AT = 512
/** Between two tellings of everything to one router, and after one that failed. */
const REST_MILLISECONDS = 1_000
/** For a router over a thin line. */
const SEND_MILLISECONDS = 30_000

export class SessionSync implements Disposable {
  readonly #deps: SessionSyncDeps
  readonly #ids: SyncIds
  readonly #readers = new Map<ControlConnection, Reader>()
  readonly #unfollow: () => void
  #log: OutgoingMessage[] = []
  /** The number of the first message in the log. */
  #begins = 0
  /** At which length the log is looked through next. */
  #trimmedAt = TRIMMED_AT

  constructor(deps: SessionSyncDeps) {
    this.#deps = deps
    this.#ids = new SyncIds(deps.clock)
    this.#unfollow = deps.writer.follow((commits) => this.#changed(commits))
  }

  /** Tells a router of all sessions, and from then on of what changes. */
  sync(connection: ControlConnection): void {
    if (connection.channel.isClosed) return
    let reader = this.#readers.get(connection)
    if (reader === undefined) {
      reader = new Reader(connection, this.#deps.log, {
        everything: () => this.#everything(),
        after: (place) => this.#after(place),
      })
      this.#readers.set(connection, reader)
      connection.parts.defer(() => this.#readers.delete(connection))
    }
    reader.readEverything()
  }

  [Symbol.dispose](): void {
    this.#unfollow()
    this.#readers.clear()
  }

  #changed(commits: readonly Commit[]): void {
    if (this.#readers.size === 0) {
      this.#keepFrom(this.#end)
      return
    }
    const { view } = this.#deps
    const before = this.#log.length
    for (const message of new SessionChanges(commits, view).messages(this.#ids)) this.#log.push(lastingMessage(message))
    if (this.#log.length === before) return
    if (this.#log.length > this.#trimmedAt) this.#trim()
    for (const reader of this.#readers.values()) reader.wake()
  }

  get #end(): number {
    return this.#begins + this.#log.length
  }

  /** Drops what every router has, and what is too much for the slowest. */
  #trim(): void {
    let needed = this.#end
    for (const { place = needed } of this.#readers.values()) needed = Math.min(needed, place)
    this.#keepFrom(Math.max(needed, this.#end - MOST_MESSAGES))
    // With a router that is slow it is worth it less often.
    this.#trimmedAt = Math.min(MOST_MESSAGES * 1.1, Math.max(TRIMMED_AT, this.#log.length * 2))
  }

  #keepFrom(place: number): void {
    if (place === this.#begins) return
    this.#log = this.#log.slice(place - this.#begins)
    this.#begins = place
  }

  #after(place: number): OutgoingMessage | 'unknown' | undefined {
    return place < this.#begins ? 'unknown' : this.#log[place - this.#begins]
  }

  /** All sessions of this moment, and the place of what comes after it. */
  #everything(): Everything {
    const { view } = this.#deps
    const ids = [...view.rows('apiSessions').map(({ id }) => id)]
    return { messages: this.#fullState(ids), place: this.#end }
  }

  /** One that has ended since is left out; one that is new is in the log. */
  *#fullState(ids: readonly string[]): Generator<OutgoingMessage> {
    const { view } = this.#deps
    const id = this.#ids.next()
    let sequence = 0
    let waiting: SessionRecord[] = []
    for (const sessionId of ids) {
      const session = view.get('apiSessions', sessionId)
      if (session === undefined || !isComplete(view, session)) continue
      // A chunk goes when it is known that there is another: the last one must say that it is.
      if (waiting.length === MOST_API_SESSIONS) {
        yield fullStateMessage(waiting, syncState({ id, sequence: sequence++, isLast: false }))
        waiting = []
      }
      waiting.push(sessionRecord(view, session))
    }
    if (waiting.length > 0) yield fullStateMessage(waiting, syncState({ id, sequence, isLast: true }))
  }
}

interface Everything {
  readonly messages: Iterable<OutgoingMessage>
  readonly place: number
}

interface Source {
  everything(): Everything
  after(place: number): OutgoingMessage | 'unknown' | undefined
}

/** One router's place. It takes as long as it takes, one message after another. */
class Reader {
  readonly #connection: ControlConnection
  readonly #log: Logger
  readonly #source: Source
  #place: number | undefined
  #isReading = false
  /** When everything may be told again. */
  #rested: Promise<unknown> = Promise.resolve()

  constructor(connection: ControlConnection, log: Logger, source: Source) {
    this.#connection = connection
    this.#log = log
    this.#source = source
  }

  /** Of the next message; undefined when everything is to be told first. */
  get place(): number | undefined {
    return this.#place
  }

  readEverything(): void {
    this.#place = undefined
    this.wake()
  }

  wake(): void {
    if (this.#isReading) return
    this.#isReading = true
    void this.#read()
  }

  async #read(): Promise<void> {
    const { channel, routerId } = this.#connection
    while (!channel.isClosed) {
      const next = this.#place === undefined ? 'unknown' : this.#source.after(this.#place)
      if (next === undefined) break
      try {
        if (next === 'unknown') await this.#sendEverything()
        else {
          await this.#send(next)
          if (this.#place !== undefined) this.#place++
        }
      } catch (err) {
        if (!channel.isClosed) this.#log.warn('sessions not told', { router: routerId, err })
        this.#place = undefined
      }
    }
    this.#isReading = false
  }

  /** Whoever asks for it again and again gets it at a pace of ours. */
  async #sendEverything(): Promise<void> {
    await this.#rested
    this.#rested = pause(REST_MILLISECONDS, undefined, { ref: false })
    const { messages, place } = this.#source.everything()
    this.#place = place
    for (const message of messages) await this.#send(message)
  }

  async #send(message: OutgoingMessage): Promise<void> {
    await this.#connection.channel.send(message, { timeoutMilliseconds: SEND_MILLISECONDS })
  }
}

function fullStateMessage(apiSessions: readonly SessionRecord[], state: string): OutgoingMessage {
  const body = { isFullState: true, apiSessions }
  return controlMessages.encode('apiSessionAdded', { strategy: SYNC_STRATEGY, state, body })
}
