/**
 * The registry all metrics of a controller are declared in. It is made per controller and handed over, never the
 * library's global one: two controllers in one process (a test, a cluster on one machine) must not count together.
 */
import { collectDefaultMetrics, Registry } from 'prom-client'

/** How finely the delay of the event loop is sampled. */
const EVENT_LOOP_PRECISION_MILLISECONDS = 20

/**
 * A registry with what every process shows: CPU, memory, open descriptors, garbage collection, and the lag of the event
 * loop (`nodejs_eventloop_lag_*_seconds`), the first thing to look at when answers are slow.
 */
export function createMetricsRegistry(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MILLISECONDS })
  return registry
}

/** The media type of `metricsText`. */
export function metricsContentType(registry: Registry): string {
  return registry.contentType
}

/** Everything the registry knows, in Prometheus' text form. */
export function metricsText(registry: Registry): Promise<string> {
  return registry.metrics()
}
