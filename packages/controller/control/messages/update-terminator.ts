/** An SDK changes what its terminator costs, or how it ranks. */
import { sessionOf } from '../edge/client-tokens.ts'
import { EdgeRefusal, replyRefusal } from '../edge/edge-refusal.ts'
import { updateTerminator as update } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const updateTerminator = defineHandler(
  'updateTerminator',
  async ({ message: { body }, frame, from }, context) => {
    const { kit, clientTokens } = context
    try {
      const session = sessionOf({ view: kit.view, ...clientTokens }, body.apiSessionToken, body.sessionToken)
      if (session.type !== 'Bind') throw new EdgeRefusal('wrongSessionType', 'the session is not for hosting')
      if (kit.view.get('terminators', body.terminatorId)?.hostId !== session.identityId) {
        throw new EdgeRefusal('invalidTerminator', `there is no terminator ${body.terminatorId} here`)
      }
      await writeFromRouter({ kit, from, method: 'update.terminator', identityId: session.identityId }, (change) =>
        update(change, from.routerId, 'edge', body),
      )
      from.reply(frame, 'updateTerminatorResponse', {})
    } catch (error) {
      replyRefusal(from, frame, error)
    }
  },
)
