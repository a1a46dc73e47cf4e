import { HealthCheck, type HealthCheckSpec, type HealthClock, type HealthState } from './health-check.ts'
import { healthDocument } from './health-document.ts'

/** All checks of a router, each on its own schedule. */
export class HealthMonitor implements Disposable {
  readonly #checks: readonly HealthCheck[]

  constructor(specs: readonly HealthCheckSpec[], clock: HealthClock) {
    this.#checks = specs.map((spec) => new HealthCheck(spec, clock))
  }

  start(): this {
    for (const check of this.#checks) check.start()
    return this
  }

  [Symbol.dispose](): void {
    for (const check of this.#checks) check[Symbol.dispose]()
  }

  states(): readonly HealthState[] {
    return this.#checks.map(({ state }) => state)
  }

  /** The answer to a request; its query may ask for the short form. */
  document(query: URLSearchParams): string {
    return healthDocument(this.states(), query.get('type') === 'short' ? 'short' : 'whole')
  }
}
