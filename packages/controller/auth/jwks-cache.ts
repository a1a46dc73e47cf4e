/**
 * The keys of external signers that publish them, by endpoint.
 *
 * A set is fetched when it is needed, asked for again when it has aged, and replaced as a whole, so that a key which its
 * signer has withdrawn is gone. A key id that is not in it makes the set be asked for sooner, at most once a second: anybody
 * can make up key ids. While an endpoint fails, the pauses grow, and what was fetched last serves for a limited time.
 */
import type { Clock } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import { type KeySet, readKeySet, type VerificationKey } from './key-set.ts'

export interface JwksCacheDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly fetch: (endpoint: string) => Promise<unknown>
}

interface Entry {
  keys: KeySet
  /** Monotonic times; `fetchedAt` of the keys, `askedAt` of the last attempt. */
  fetchedAt: number
  askedAt: number
  failures: number
  pending: Promise<void> | undefined
}

const FRESH_FOR = 5 * 60_000
const USABLE_FOR = 60 * 60_000
const SHORTEST_PAUSE = 1_000
const LONGEST_PAUSE = 60_000
/** Far more than there are signers: endpoints that no signer names any more must not stay for ever. */
const MOST_ENDPOINTS = 1_000

const none: readonly VerificationKey[] = []

export class JwksCache {
  readonly #deps: JwksCacheDeps
  readonly #entries = new Map<string, Entry>()

  constructor(deps: JwksCacheDeps) {
    this.#deps = deps
  }

  /** The keys with an id; none when the endpoint does not publish it or cannot be asked. Never rejects. */
  async keysOf(endpoint: string, keyId: string): Promise<readonly VerificationKey[]> {
    const entry = this.#entry(endpoint)
    const isKnown = entry.keys.has(keyId) && this.#age(entry) < FRESH_FOR
    if (!isKnown && (entry.pending !== undefined || this.#mayAsk(entry))) {
      entry.pending ??= this.#refresh(endpoint, entry)
      await entry.pending
    }
    return this.#age(entry) < USABLE_FOR ? (entry.keys.get(keyId) ?? none) : none
  }

  #entry(endpoint: string): Entry {
    let entry = this.#entries.get(endpoint)
    if (entry === undefined) {
      const [oldest] = this.#entries.keys()
      if (this.#entries.size >= MOST_ENDPOINTS && oldest !== undefined) this.#entries.delete(oldest)
      const never = Number.NEGATIVE_INFINITY
      entry = { keys: new Map(), fetchedAt: never, askedAt: never, failures: 0, pending: undefined }
      this.#entries.set(endpoint, entry)
    }
    return entry
  }

  #age({ fetchedAt }: Entry): number {
    return this.#deps.clock.monotonic() - fetchedAt
  }

  #mayAsk({ askedAt, failures }: Entry): boolean {
    const pause = Math.min(SHORTEST_PAUSE * 2 ** Math.min(failures, 10), LONGEST_PAUSE)
    return this.#deps.clock.monotonic() - askedAt >= pause
  }

  async #refresh(endpoint: string, entry: Entry): Promise<void> {
    const { clock, log, fetch } = this.#deps
    entry.askedAt = clock.monotonic()
    try {
      const keys = readKeySet(await fetch(endpoint))
      if (keys === undefined) throw new Error('the answer is no key set')
      Object.assign(entry, { keys, fetchedAt: clock.monotonic(), failures: 0 })
    } catch (error) {
      entry.failures++
      // Of the endpoint only the host: what else is in a URL may be a secret.
      const host = URL.parse(endpoint)?.host
      log.warn('keys of an external signer could not be fetched', { host, reason: (error as Error).message })
    } finally {
      entry.pending = undefined
    }
  }
}
