/**
 * One question that is asked again and again, and what came of it lately. The clock and the timers are the only things
 * it knows; what is asked is someone else's.
 */

export interface HealthCheckSpec {
  /** What monitors look for. */
  readonly id: string
  /** Milliseconds; likewise those below. */
  readonly interval: number
  readonly initialDelay: number
  /** How long an answer may take. */
  readonly timeout: number
  /** Whether it counts as passed before it was asked first. */
  readonly passesAtFirst: boolean
  /** Answers what is worth telling, or throws what is wrong. */
  ask(): unknown
}

export interface HealthClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds that never go back. */
  monotonic(): number
}

/** What came of a question. */
export interface HealthState {
  readonly id: string
  readonly time: number
  readonly duration: number
  /** What is wrong; undefined when nothing is. */
  readonly error: string | undefined
  readonly consecutiveFailures: number
  /** When it began to fail. */
  readonly failingSince: number | undefined
  /** Undefined until it was asked first. */
  readonly details: { readonly value: unknown } | undefined
}

const notAskedYet = "didn't run yet"

export class HealthCheck implements Disposable {
  readonly #spec: HealthCheckSpec
  readonly #clock: HealthClock
  #state: HealthState
  #timer: NodeJS.Timeout | undefined
  #isAsking = false
  #isEnded = false

  constructor(spec: HealthCheckSpec, clock: HealthClock) {
    this.#spec = spec
    this.#clock = clock
    const time = clock.now()
    const failing = { error: notAskedYet, consecutiveFailures: 1, failingSince: time }
    const passing = { error: undefined, consecutiveFailures: 0, failingSince: undefined }
    const first = spec.passesAtFirst ? passing : failing
    this.#state = { id: spec.id, time, duration: 0, details: undefined, ...first }
  }

  get state(): HealthState {
    return this.#state
  }

  start(): this {
    this.#schedule(this.#spec.initialDelay)
    return this
  }

  [Symbol.dispose](): void {
    this.#isEnded = true
    clearTimeout(this.#timer)
  }

  /** Asks once. A question that is still open is not asked again. */
  async ask(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    const time = this.#clock.now()
    const began = this.#clock.monotonic()
    const answer = await this.#answer()
    const { consecutiveFailures, failingSince } = this.#state
    const failing = { consecutiveFailures: consecutiveFailures + 1, failingSince: failingSince ?? time }
    const passing = { consecutiveFailures: 0, failingSince: undefined }
    this.#state = {
      id: this.#spec.id,
      time,
      duration: this.#clock.monotonic() - began,
      error: answer.error,
      details: { value: answer.details ?? null },
      ...(answer.error === undefined ? passing : failing),
    }
    this.#isAsking = false
  }

  async #answer(): Promise<{ readonly error?: string; readonly details?: unknown }> {
    const { timeout } = this.#spec
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<{ error: string }>((resolve) => {
      timer = setTimeout(() => resolve({ error: `no answer within ${timeout} ms` }), timeout).unref()
    })
    const asked = (async () => this.#spec.ask())().then(
      (details) => ({ details }),
      (error: unknown) => {
        const details = error instanceof UnhealthyError ? error.details : undefined
        return { error: error instanceof Error ? error.message : String(error), details }
      },
    )
    try {
      return await Promise.race([asked, late])
    } finally {
      clearTimeout(timer)
    }
  }

  #schedule(delay: number): void {
    if (this.#isEnded) return
    this.#timer = setTimeout(() => {
      void this.ask().then(() => this.#schedule(this.#spec.interval))
    }, delay).unref()
  }
}

/** Something is wrong, and there is still something to tell. */
export class UnhealthyError extends Error {
  readonly code = 'UNHEALTHY'
  readonly details: unknown

  constructor(message: string, details: unknown) {
    super(message)
    this.name = 'UnhealthyError'
    this.details = details
  }
}
