/** Renewal as it goes over a control channel, where the certificates come as a message that names no request. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ControlMessage, edgeError } from '@weft/wire/messages'
import type { ControllerConnection } from '../control/controller-connection.ts'
import type { RenewalController, RenewedCertificates } from './certificate-renewal.ts'

const patience = 30_000

export class ChannelRenewals {
  /** Who waits for certificates, by the channel they must come over. */
  readonly #waiting = new Map<ControllerConnection, (certificates: RenewedCertificates) => void>()

  /** What has come counts only if it was asked for over the same channel. */
  take(from: ControllerConnection, certificates: ControlMessage<'enrollmentCerts'>['body']): void {
    this.#waiting.get(from)?.(certificates)
  }

  over(connection: ControllerConnection): RenewalController {
    return {
      request: async (request) => {
        const { promise, resolve } = Promise.withResolvers<RenewedCertificates>()
        this.#waiting.set(connection, resolve)
        const given = new AbortController()
        try {
          await connection.send('enrollmentExtendRouter', { body: { ...request, requireVerification: true } })
          const silence = sleep(patience, undefined, { signal: given.signal, ref: false })
          const answer = await Promise.race([promise, silence, connection.channel.closed])
          if (answer === undefined || !('clientCertPem' in answer))
            throw new Error('the controller sent no certificates')
          return answer
        } finally {
          given.abort()
          this.#waiting.delete(connection)
        }
      },
      confirm: async (clientCertPem) => {
        const { message } = await connection.request('enrollmentExtendRouterVerify', { body: { clientCertPem } })
        const { code, message: text } = edgeError.decode(message.body)
        if (code !== '') throw new Error(`the controller refused the certificate: ${code} ${text}`.trim())
      },
    }
  }
}
