/**
 * Keeps connections busy with one request each and notes how long every answer took.
 */
import type { SecureContext } from 'node:tls'
import { type Endpoint, LoadConnection } from './connection.ts'

/** Gives requests until there are no more of them. */
export interface RequestSource {
  next(): Buffer | string | undefined
  /** Takes the body of each answer; absent when nobody wants it. */
  answered?(body: string): void
}

export interface DriveOptions {
  readonly connections: number
  /** No request is begun later than this many milliseconds after the first; absent: the source ends it. */
  readonly milliseconds?: number
  /** What the connections present, each the next one. */
  readonly identities?: readonly SecureContext[]
  /** Requests may be refused: they are counted, and the rest goes on. */
  readonly mayRefuse?: boolean
}

export interface Driven {
  /** Milliseconds, in the order in which the answers came. */
  readonly latencies: readonly number[]
  /** From the first request to the last answer. */
  readonly seconds: number
  /** How many were answered, but not with success. */
  readonly refused: number
}

/** A request of a load was not answered with success. */
export class RefusedError extends Error {
  readonly code = 'REFUSED'

  constructor(status: number, body: string) {
    super(`answered with ${status}: ${body.slice(0, 1_000)}`)
    this.name = 'RefusedError'
  }
}

/**
 * Answers when every request is answered; throws at the first that is refused and may not be. `around` runs with all connections open
 * and idle, so that their handshakes are not part of what it measures.
 */
export async function drive<T>(
  endpoint: Endpoint,
  source: RequestSource,
  { connections, milliseconds = Number.POSITIVE_INFINITY, identities = [], mayRefuse = false }: DriveOptions,
  around: (run: () => Promise<Driven>) => Promise<T>,
): Promise<T> {
  using opened = new DisposableStack()
  const open = await Promise.all(
    Array.from({ length: connections }, (_, nth) => {
      const secureContext = identities[nth % identities.length]
      return LoadConnection.open(endpoint, { keepsBody: source.answered !== undefined, secureContext })
    }),
  )
  for (const connection of open) opened.use(connection)
  return await around(() => runAll(open, source, milliseconds, mayRefuse))
}

function runAll(
  open: readonly LoadConnection[],
  source: RequestSource,
  milliseconds: number,
  mayRefuse: boolean,
): Promise<Driven> {
  const latencies: number[] = []
  let refused = 0
  const started = performance.now()
  const end = started + milliseconds
  let active = open.length
  return new Promise((resolve, reject) => {
    for (const connection of open) {
      let sentAt = 0
      const onBroken = (error: Error) => reject(error)
      const send = () => {
        sentAt = performance.now()
        const request = sentAt < end ? source.next() : undefined
        if (request !== undefined) connection.send(request, onResponse, onBroken)
        else if (--active === 0) resolve({ latencies, seconds: (performance.now() - started) / 1000, refused })
      }
      const onResponse = (status: number, body: string) => {
        if (status >= 200 && status <= 299) {
          latencies.push(performance.now() - sentAt)
          source.answered?.(body)
        } else if (mayRefuse) refused++
        else {
          reject(new RefusedError(status, body))
          return
        }
        send()
      }
      send()
    }
  })
}
