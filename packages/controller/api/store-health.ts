/**
 * Whether the controller can still read what it stands on: the check behind `/health-checks`.
 *
 * It reads from the disk now and then, because tables in memory answer just as well when the disk is gone. Its id is the
 * one that peers and their monitoring look for.
 */

import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import type { HealthCheck } from './http/health-checks.ts'

const checkId = 'bolt.read'

export interface StoreHealthDeps {
  readonly store: Pick<Store, 'head' | 'journal'>
  readonly clock: Clock
}

export interface StoreHealthOptions {
  /** Milliseconds between checks. */
  readonly interval: number
  /** Milliseconds after which a read that has not come back has failed. */
  readonly patience: number
}

const usual: StoreHealthOptions = { interval: 15_000, patience: 5_000 }

interface Outcome {
  readonly time: number
  readonly duration: number
  readonly error: string | undefined
}

export class StoreHealth implements Disposable {
  readonly #deps: StoreHealthDeps
  readonly #options: StoreHealthOptions
  /** The store has just been loaded when this is made, so the first outcome is a good one. */
  #last: Outcome
  #failures = 0
  #failingSince = 0
  #timer: NodeJS.Timeout | undefined
  #isChecking = false

  constructor(deps: StoreHealthDeps, options: StoreHealthOptions = usual) {
    this.#deps = deps
    this.#options = options
    this.#last = { time: deps.clock.now(), duration: 0, error: undefined }
  }

  start(): this {
    this.#timer ??= setInterval(() => void this.check(), this.#options.interval)
    this.#timer.unref()
    return this
  }

  /** Reads once and keeps what came of it. A check that is still under way is not joined by a second one. */
  async check(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    const { clock } = this.#deps
    const time = clock.now()
    const began = clock.monotonic()
    const error = await this.#read()
    this.#last = { time, duration: clock.monotonic() - began, error }
    if (error === undefined) this.#failures = 0
    else if (this.#failures++ === 0) this.#failingSince = time
    this.#isChecking = false
  }

  /** The state of the check, as the health binding shows it. */
  checks(): readonly HealthCheck[] {
    const { time, duration, error } = this.#last
    const check = {
      id: checkId,
      healthy: error === undefined,
      lastCheckDuration: durationText(duration),
      lastCheckTime: wholeSeconds(time),
      details: null,
    }
    if (error === undefined) return [check]
    const failing = { consecutiveFailures: this.#failures, failingSince: wholeSeconds(this.#failingSince) }
    return [{ ...check, err: error, ...failing }]
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  /** What is wrong, or undefined. The newest entry of the journal is as good as anything that is on the disk. */
  async #read(): Promise<string | undefined> {
    const { store } = this.#deps
    const { patience } = this.#options
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`the store did not answer within ${patience} ms`), patience)
      timer.unref()
    })
    const { index } = store.head
    const read = store.journal({ after: Math.max(0, index - 1), upTo: index, limit: 1 }).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    try {
      return await Promise.race([read, late])
    } finally {
      clearTimeout(timer)
    }
  }
}

/** The running check of a controller. */
export function storeHealth(deps: StoreHealthDeps, options?: StoreHealthOptions): StoreHealth {
  return new StoreHealth(deps, options).start()
}

/** `14.27µs`, `1.2ms`, `2.5s`: how the peers write a duration. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1) return `${trimmed(milliseconds * 1_000)}µs`
  return milliseconds < 1_000 ? `${trimmed(milliseconds)}ms` : `${trimmed(milliseconds / 1_000)}s`
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(2)))
}

function wholeSeconds(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}
