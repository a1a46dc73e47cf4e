/** A router shows that it has its new certificate. From now on it is known by that one. */
import { edgeError } from '@weft/wire/messages'
import { confirmRenewal, RenewalRefusal } from '../../enroll/router-renewal.ts'
import { defineHandler } from '../handler.ts'

export const enrollmentExtendRouterVerify = defineHandler(
  'enrollmentExtendRouterVerify',
  async ({ message, frame, from }, { kit, log }) => {
    const answer = (code: string, text: string) =>
      from.reply(frame, 'error', { body: edgeError.encode({ code, message: text }) })
    try {
      await confirmRenewal(kit, from.routerId, message.body.clientCertPem)
      answer('', '')
    } catch (error) {
      if (error instanceof RenewalRefusal) return answer(error.code, error.message)
      log.error('renewal of a router not confirmed', { router: from.routerId, err: error })
      answer('VERIFY_ERROR', 'the certificate could not be confirmed')
    }
  },
)
