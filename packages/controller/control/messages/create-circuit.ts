/** A dial with a session for the service, as 1.x routers ask for it. */

import { replyRefusal } from '../edge/edge-refusal.ts'
import { sessionDial } from '../edge/session-dial.ts'
import { defineHandler } from '../handler.ts'

export const createCircuit = defineHandler('createCircuit', async ({ message: { body }, frame, from }, context) => {
  try {
    from.reply(frame, 'createCircuitResponse', { body: await sessionDial(context, from, body) })
  } catch (error) {
    replyRefusal(from, frame, error)
  }
})
