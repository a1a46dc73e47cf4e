/** A part of a circuit that goes through this router. Every one is answered: a controller that hears nothing waits. */
import { urgentQueue } from '../controller-connection.ts'
import { defineHandler } from '../handler.ts'

export const route = defineHandler('route', async ({ message: { body }, frame, from }, { routes }) => {
  const { circuitId, attempt } = body
  const outcome = await routes.take(body, from)
  const result = outcome.isMade
    ? { attempt, success: true as const, peerData: outcome.peerData, body: circuitId }
    : { attempt, error: outcome.error, errorCode: outcome.code, body: circuitId }
  return from.reply(frame, 'routeResult', result, { queue: urgentQueue })
})
