/** The APIs of a router's web servers, each a path and what is answered below it. */
import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { HealthMonitor } from '../health/health-monitor.ts'
import { prometheusContentType, prometheusText } from '../metrics/prometheus.ts'
import type { MetricsRegistry } from '../metrics/registry.ts'

/** What is answered to any request below a path, whatever its method. */
export interface WebApi {
  readonly root: string
  answer(request: IncomingMessage, query: URLSearchParams): WebAnswer
}

export interface WebAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** Open to anyone, always 200: a caller must read `healthy`. */
export function healthApi(monitor: Pick<HealthMonitor, 'document'>): WebApi {
  return {
    root: '/health-checks',
    answer: (_request, query) => ({ status: 200, contentType: 'application/json', body: monitor.document(query) }),
  }
}

export interface MetricsApiOptions {
  readonly registry: Pick<MetricsRegistry, 'snapshot'>
  readonly routerId: string
  /** The router at the other end of a link. */
  readonly linkTarget: (linkId: string) => string | undefined
  /** PEM of the one client certificate that may read; without it anyone may. */
  readonly pinnedPem: string | undefined
  readonly includeTimestamps: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Prometheus text. A pin is the whole certificate, compared with the leaf of the handshake, and ends when that does. */
export function metricsApi(options: MetricsApiOptions): WebApi {
  const { registry, routerId, linkTarget, pinnedPem, includeTimestamps, now } = options
  const pinned = pinnedPem === undefined ? undefined : new X509Certificate(pinnedPem)
  return {
    root: '/metrics',
    answer({ socket }) {
      if (pinned !== undefined && !(isValidAt(pinned, now()) && presents(socket, pinned))) {
        return { status: 401, contentType: prometheusContentType, body: '' }
      }
      const time = includeTimestamps ? now() : undefined
      const body = prometheusText(registry.snapshot(), { sourceId: routerId, linkTarget, time })
      return { status: 200, contentType: prometheusContentType, body }
    },
  }
}

function presents(socket: unknown, pinned: X509Certificate): boolean {
  const leaf = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
  return leaf?.raw.equals(pinned.raw) ?? false
}

function isValidAt({ validFromDate, validToDate }: X509Certificate, time: number): boolean {
  return validFromDate.getTime() <= time && time <= validToDate.getTime()
}
