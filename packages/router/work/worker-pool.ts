/**
 * Work that may wait its turn: so much at once, so much in line, and what finds the line full is refused at once.
 */
import type { MetricsRegistry } from '../metrics/registry.ts'

export interface WorkerPoolOptions {
  /** Such as `pool.link.dialer`; the first part of the names of its metrics. */
  readonly name: string
  readonly queueLength: number
  readonly workers: number
}

export interface WorkerPoolDeps {
  readonly metrics: MetricsRegistry
  /** Milliseconds that never go back. */
  readonly monotonic: () => number
  /** Of work that rejects: its owner should have seen to that. */
  readonly log: { error(message: string, fields?: Readonly<Record<string, unknown>>): void }
}

const nanosPerMilli = 1e6

export class WorkerPool implements AsyncDisposable {
  readonly #options: WorkerPoolOptions
  readonly #deps: WorkerPoolDeps
  readonly #waiting: (() => Promise<void>)[] = []
  readonly #idle: (() => void)[] = []
  #busy = 0
  #isClosed = false

  constructor(deps: WorkerPoolDeps, options: WorkerPoolOptions) {
    this.#deps = deps
    this.#options = options
    const { metrics } = deps
    metrics.gauge(`${options.name}.queue_size`, () => this.#waiting.length)
    metrics.gauge(`${options.name}.worker_count`, () => options.workers)
    metrics.gauge(`${options.name}.busy_workers`, () => this.#busy)
    // There from the start, so that whoever reads metrics finds it.
    metrics.timer(`${options.name}.work_timer`)
  }

  /** Whether the work will be done. */
  offer(work: () => Promise<void>): boolean {
    if (this.#isClosed || this.#waiting.length >= this.#options.queueLength) return false
    if (this.#busy < this.#options.workers) void this.#run(work)
    else this.#waiting.push(work)
    return true
  }

  /** Gives up what waits, and waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#waiting.length = 0
    if (this.#busy > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  async #run(first: () => Promise<void>): Promise<void> {
    this.#busy++
    for (let work: (() => Promise<void>) | undefined = first; work !== undefined; work = this.#waiting.shift()) {
      const began = this.#deps.monotonic()
      try {
        await work()
      } catch (err) {
        this.#deps.log.error('work failed', { pool: this.#options.name, err })
      }
      const took = this.#deps.monotonic() - began
      this.#deps.metrics.timer(`${this.#options.name}.work_timer`).update(took * nanosPerMilli)
    }
    this.#busy--
    if (this.#busy === 0) for (const wake of this.#idle.splice(0)) wake()
  }
}
