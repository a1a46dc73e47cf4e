/**
 * Tells controllers what an operator should see to. What cannot be told waits, up to a bound; then the oldest goes, so
 * that the news is what remains.
 */

/** Something to see to. */
export interface Alert {
  /** In one line. */
  readonly message: string
  readonly details: readonly string[]
  /** What it is about, by kind: `service`, `config`, `self`. */
  readonly relatedEntities: ReadonlyMap<string, string>
}

/** As it goes over the wire. */
export interface SentAlert extends Alert {
  /** Whoever receives it knows whose channel it came over. */
  readonly sourceType: 'self'
  readonly sourceId: string
  /** Milliseconds since 1970. */
  readonly timestamp: number
  readonly severity: 'error'
}

export interface AlertReporterDeps {
  /** Hands a batch to any one controller; resolves with whether one took it. */
  readonly send: (alerts: readonly SentAlert[]) => Promise<boolean>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: AlertLog
}

export interface AlertLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
}

const mostWaiting = 1_000
const batchSize = 10
const retryMilliseconds = 5_000

export class AlertReporter implements AsyncDisposable {
  readonly #deps: AlertReporterDeps
  readonly #waiting: SentAlert[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #dropped = 0
  #isEnded = false

  constructor(deps: AlertReporterDeps) {
    this.#deps = deps
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Alerts that were given up because none could be told for long. */
  get dropped(): number {
    return this.#dropped
  }

  /** Also written to the log, for those who look there. */
  raise(alert: Alert): void {
    const { message, details } = alert
    this.#deps.log.warn(message, { details })
    if (this.#isEnded) return
    this.#waiting.push({ ...alert, sourceType: 'self', sourceId: '', timestamp: this.#deps.now(), severity: 'error' })
    if (this.#waiting.length > mostWaiting) {
      this.#waiting.shift()
      this.#dropped++
    }
    void this.flush()
  }

  /** Tells what waits, as when a controller has just connected. One at a time. */
  flush(): Promise<void> {
    this.#sending ??= this.#flush().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true
    clearTimeout(this.#timer)
    await this.#sending
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#timer)
    while (this.#waiting.length > 0 && !this.#isEnded) {
      const batch = this.#waiting.slice(0, batchSize)
      if (!(await this.#isTaken(batch))) {
        this.#timer = setTimeout(() => void this.flush(), retryMilliseconds).unref()
        return
      }
      // Some of them may have gone meanwhile, to make room.
      const told = new Set(batch)
      while (this.#waiting.length > 0 && told.has(this.#waiting[0]!)) this.#waiting.shift()
    }
  }

  async #isTaken(batch: readonly SentAlert[]): Promise<boolean> {
    try {
      return await this.#deps.send(batch)
    } catch (err) {
      this.#deps.log.debug('alerts could not be sent; it is tried again', { err })
      return false
    }
  }
}
