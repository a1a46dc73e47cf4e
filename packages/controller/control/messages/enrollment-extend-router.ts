/**
 * A router asks for new certificates before its own run out. It is known by the leaf of its channel, which must still be
 * the one it has enrolled with. What is wrong with the request is only logged: the router asks again later.
 */
import { renewRouter } from '../../enroll/router-renewal.ts'
import { ApiError } from '../../operation/api-error.ts'
import { defineHandler } from '../handler.ts'

export const enrollmentExtendRouter = defineHandler(
  'enrollmentExtendRouter',
  async ({ message: { body }, from }, { kit, signer, log }) => {
    const { routerId } = from
    const { clientCertCsr, serverCertCsr, requireVerification: isProofRequired } = body
    try {
      const requests = { certCsr: clientCertCsr, serverCertCsr }
      const { fingerprint } = from.channel.first.connection
      const { client, server } = await renewRouter(
        { kit, signer },
        { routerId, fingerprint, requests, isProofRequired },
      )
      await from.send('enrollmentCerts', { body: { clientCertPem: client.chainPem, serverCertPem: server.chainPem } })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      log.warn('certificates of a router not renewed', { router: routerId, err: error })
    }
  },
)
