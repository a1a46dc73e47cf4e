/**
 * Sends what was measured to every controller, once an interval. The first that takes a report tells the others in the
 * network of it; the rest only keep it. A report that none takes is kept, up to a bound, because usage is charged by it.
 */
import type { MetricsMessage } from '@weft/wire/messages'
import { metricsMessageOf } from './metrics-message.ts'
import type { MetricsRegistry } from './registry.ts'
import type { UsageMeter } from './usage.ts'

/** A controller that is connected. */
export interface MetricsReceiver {
  /** Resolves with whether the message was handed to the network. */
  send(message: MetricsMessage): Promise<boolean>
}

export interface MetricsReporterDeps {
  readonly registry: MetricsRegistry
  readonly usage: UsageMeter
  /** Those that are connected now. */
  readonly receivers: () => Iterable<MetricsReceiver>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: { warn(message: string, fields?: Readonly<Record<string, unknown>>): void }
}

export interface MetricsReporterOptions {
  readonly routerId: string
  /** Milliseconds. */
  readonly reportInterval: number
  /** Reports that may wait for a controller; the oldest go first. */
  readonly messageQueueSize: number
}

export class MetricsReporter implements AsyncDisposable {
  readonly #deps: MetricsReporterDeps
  readonly #options: MetricsReporterOptions
  readonly #waiting: MetricsMessage[] = []
  #timer: NodeJS.Timeout | undefined
  #reporting: Promise<void> | undefined
  #dropped = 0

  constructor(deps: MetricsReporterDeps, options: MetricsReporterOptions) {
    this.#deps = deps
    this.#options = options
  }

  start(): this {
    this.#timer ??= setInterval(() => void this.report(), this.#options.reportInterval).unref()
    return this
  }

  /** Reports that were given up because no controller took them. */
  get dropped(): number {
    return this.#dropped
  }

  /** Reports now. One that is still under way is not joined by a second; what it misses, the next one says. */
  report(): Promise<void> {
    this.#reporting ??= this.#report().finally(() => {
      this.#reporting = undefined
    })
    return this.#reporting
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#reporting
  }

  async #report(): Promise<void> {
    const { registry, usage, now } = this.#deps
    const { routerId, messageQueueSize } = this.#options
    const report = { sourceId: routerId, time: now(), snapshot: registry.snapshot(), usage: usage.take() }
    this.#waiting.push(metricsMessageOf(report))
    while (this.#waiting.length > messageQueueSize) {
      this.#waiting.shift()
      this.#dropped++
    }
    while (this.#waiting.length > 0) {
      if (!(await this.#deliver(this.#waiting[0]!))) return
      this.#waiting.shift()
    }
  }

  async #deliver(message: MetricsMessage): Promise<boolean> {
    let isTaken = false
    for (const receiver of this.#deps.receivers()) {
      try {
        if (await receiver.send({ ...message, doNotPropagate: isTaken })) isTaken = true
      } catch (err) {
        this.#deps.log.warn('metrics could not be sent', { err })
      }
    }
    return isTaken
  }
}
