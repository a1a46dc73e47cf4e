/** How often health checks of services pass and fail, for the metrics. */
import { Counter, type Registry } from 'prom-client'

export class HealthChecks {
  readonly #counter: Counter<'service' | 'result'>

  constructor(registry: Registry) {
    this.#counter = new Counter({
      name: 'weft_service_health_checks_total',
      help: 'Health checks of what hosts a service, as routers report them.',
      labelNames: ['service', 'result'],
      registers: [registry],
    })
  }

  count(serviceId: string, hasPassed: boolean): void {
    this.#counter.inc({ service: serviceId, result: hasPassed ? 'passed' : 'failed' })
  }
}
