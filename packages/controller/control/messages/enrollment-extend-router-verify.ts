/**
 * A router shows that it has its new certificate. From now on it is known by that one. It waits for the answer with its
 * certificates in hand, so it gets one whatever it has sent.
 */
import type { Message } from '@weft/wire'
import { controlMessages, edgeError, MessageError } from '@weft/wire/messages'
import { confirmRenewal, RenewalRefusal } from '../../enroll/router-renewal.ts'
import { defineFrameHandler } from '../handler.ts'

export const enrollmentExtendRouterVerify = defineFrameHandler(
  'enrollmentExtendRouterVerify',
  async ({ frame, from }, { kit, log }) => {
    const answer = (code: string, text: string) =>
      from.reply(frame, 'error', { body: edgeError.encode({ code, message: text }) })
    try {
      await confirmRenewal(kit, from.routerId, shownCertificate(frame))
      answer('', '')
    } catch (error) {
      if (error instanceof RenewalRefusal) return answer(error.code, error.message)
      log.error('renewal of a router not confirmed', { router: from.routerId, err: error })
      answer('VERIFY_ERROR', 'the certificate could not be confirmed')
    }
  },
)

function shownCertificate(frame: Message): string {
  try {
    return controlMessages.decodeAs('enrollmentExtendRouterVerify', frame).body.clientCertPem
  } catch (cause) {
    if (!(cause instanceof MessageError)) throw cause
    throw new RenewalRefusal('COULD_NOT_UNMARSHAL', 'the request cannot be read', { cause })
  }
}
