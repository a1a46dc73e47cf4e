/**
 * Which identities are being traced: what they do is logged in detail until a time passes.
 *
 * Kept in memory only. At most so many identities are traced at once; one more ends the trace that began first.
 */
import { randomUUID } from 'node:crypto'
import { type Clock, timestamp } from '../clock.ts'

/** What can be traced. */
export const traceChannels = ['selectPath', 'establishPath'] as const

export type TraceChannel = (typeof traceChannels)[number]

export interface Trace {
  readonly traceId: string
  readonly channels: ReadonlySet<TraceChannel>
  /** UTC, in the API's text form. */
  readonly until: string
}

export interface TraceRequest {
  /** Milliseconds. */
  readonly duration: number
  /** Empty: one is made up. */
  readonly traceId: string
  /** Empty, or with `all` in it: every channel. Unknown names are ignored. */
  readonly channels: readonly string[]
}

const MOST_TRACES = 1_000

export class IdentityTracing {
  readonly #clock: Clock
  readonly #traces = new Map<string, Trace>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  start(identityId: string, { duration, traceId, channels }: TraceRequest): Trace {
    const isEverything = channels.length === 0 || channels.includes('all')
    const trace: Trace = {
      traceId: traceId || randomUUID(),
      channels: new Set(traceChannels.filter((channel) => isEverything || channels.includes(channel))),
      until: timestamp(this.#clock.now() + duration),
    }
    this.#traces.delete(identityId)
    for (const oldest of this.#traces.keys()) {
      if (this.#traces.size < MOST_TRACES) break
      this.#traces.delete(oldest)
    }
    this.#traces.set(identityId, trace)
    return trace
  }

  stop(identityId: string): void {
    this.#traces.delete(identityId)
  }

  /** The trace that is running for an identity. */
  traceOf(identityId: string): Trace | undefined {
    const trace = this.#traces.get(identityId)
    if (trace === undefined || trace.until > timestamp(this.#clock.now())) return trace
    this.#traces.delete(identityId)
    return undefined
  }
}
