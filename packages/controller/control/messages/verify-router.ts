/** A router asks whether the one that dials it is who it says: the certificate must be the enrolled one. */
import { defineHandler } from '../handler.ts'

export const verifyRouter = defineHandler('verifyRouter', ({ message: { body }, frame, from }, { kit }) => {
  const { routerId, fingerprints } = body
  const answer = (success: boolean, text: string) => from.reply(frame, 'result', { success, body: text })
  const router = kit.view.get('routers', routerId)
  if (router === undefined) return answer(false, `invalid router id ${routerId}`)
  if (router.disabled) return answer(false, `router ${routerId} is disabled`)
  if (router.fingerprint === null) return answer(false, `router ${routerId} has not enrolled`)
  // The first is the leaf; what else a peer has shown proves nothing.
  if (fingerprints[0]?.toLowerCase() !== router.fingerprint) return answer(false, 'the certificate is not the router’s')
  answer(true, 'router verified')
})
