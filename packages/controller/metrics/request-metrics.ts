/**
 * How many requests each operation answered, how, and in what time.
 *
 * A recorder is made once per route when the routes are mounted, and labels come from the route table alone, so what a
 * caller writes into a path can never make a new series.
 */
import { Counter, Histogram, type Registry } from 'prom-client'

/** Records answered requests of one route. */
export interface RequestRecorder {
  record(status: number, seconds: number): void
}

export interface RequestRoute {
  /** `management`, `client`, `fabric`, … */
  readonly api: string
  readonly method: string
  /** The path of the operation with `{name}` for parameters. */
  readonly path: string
}

/** From a hit in memory to the longest a request may take. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** All APIs together have a few hundred; more means that paths of requests are used instead of routes. */
const MAX_ROUTES = 2_000

const routeLabels = ['api', 'method', 'route'] as const

export class RequestMetrics {
  /** Answers by class of status. */
  readonly requests: Counter<(typeof routeLabels)[number] | 'status'>
  /** Time from the last byte of the head to the end of the answer. */
  readonly duration: Histogram<(typeof routeLabels)[number]>
  /** For requests that met no route. */
  readonly unmatched: RequestRecorder
  #routes = 0

  constructor(registry: Registry) {
    const registers = [registry]
    this.requests = new Counter({
      name: 'weft_http_requests_total',
      help: 'Requests answered, by operation and class of status.',
      labelNames: [...routeLabels, 'status'],
      registers,
    })
    this.duration = new Histogram({
      name: 'weft_http_request_duration_seconds',
      help: 'Time to answer a request, by operation.',
      labelNames: [...routeLabels],
      buckets: SECONDS,
      registers,
    })
    this.unmatched = this.forRoute({ api: 'none', method: 'any', path: 'unmatched' })
  }

  /** The recorder of a route; called while routes are mounted, not per request. */
  forRoute({ api, method, path }: RequestRoute): RequestRecorder {
    if (this.#routes >= MAX_ROUTES) throw new Error('too many routes to measure: give route patterns, not paths')
    this.#routes += 1
    const labels = { api, method, route: routeLabel(path) }
    const duration = this.duration.labels(labels)
    const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'].map((status) => this.requests.labels({ ...labels, status }))
    return {
      record(status, seconds) {
        duration.observe(seconds)
        classes[Math.min(Math.max(Math.trunc(status / 100), 1), 5) - 1]!.inc()
      },
    }
  }
}

/** Parameters by their position, as the peers name them: the first is `:id`, every further one `:subid`. */
export function routeLabel(path: string): string {
  let seen = 0
  return path.replace(/\{[^}]*\}/g, () => (seen++ === 0 ? ':id' : ':subid'))
}
