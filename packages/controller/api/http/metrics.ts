/**
 * The `metrics` binding: Prometheus text. With a pinned certificate only the holder of its key is answered; the pin is the
 * whole certificate, compared byte by byte with the leaf of the handshake, and it ends when the certificate does.
 */
import { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { Clock } from '../../clock.ts'
import type { HttpLog, RequestHandler } from './request-handler.ts'

/** The part of a Prometheus registry that is needed. */
export interface MetricsRegister {
  readonly contentType: string
  metrics(): Promise<string>
}

export interface MetricsOptions {
  readonly register: MetricsRegister
  /** PEM of the one client certificate that may read; without it anyone may. */
  readonly pinnedPem?: string
  readonly clock: Pick<Clock, 'now'>
  readonly log: HttpLog
}

/** Builds the handler of the binding. Throws when the pinned certificate cannot be parsed. */
export function createMetrics({ register, pinnedPem, clock, log }: MetricsOptions): RequestHandler {
  const pinned = pinnedPem === undefined ? undefined : new X509Certificate(pinnedPem)

  return (request, response) => {
    const isAllowed = pinned === undefined || (isValidAt(pinned, clock.now()) && presents(request, pinned))
    const text = isAllowed ? register.metrics() : Promise.resolve('')
    text.then(
      (body) => {
        const head = ['content-type', register.contentType, 'content-length', String(Buffer.byteLength(body))]
        response.writeHead(isAllowed ? 200 : 401, head)
        response.end(body)
      },
      (err) => {
        log.error('metrics could not be collected', { err })
        response.writeHead(500, ['content-length', '0'])
        response.end()
      },
    )
  }
}

function presents({ socket }: IncomingMessage, pinned: X509Certificate): boolean {
  const leaf = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
  return leaf?.raw.equals(pinned.raw) ?? false
}

function isValidAt({ validFromDate, validToDate }: X509Certificate, time: number): boolean {
  return validFromDate.getTime() <= time && time <= validToDate.getTime()
}
