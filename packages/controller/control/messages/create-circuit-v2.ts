/** A dial with a session for the service. */
import { replyRefusal } from '../edge/edge-refusal.ts'
import { sessionDial } from '../edge/session-dial.ts'
import { defineHandler } from '../handler.ts'

export const createCircuitV2 = defineHandler('createCircuitV2', async ({ message, frame, from }, context) => {
  try {
    from.reply(frame, 'createCircuitV2Response', await sessionDial(context, from, message))
  } catch (error) {
    replyRefusal(from, frame, error)
  }
})
