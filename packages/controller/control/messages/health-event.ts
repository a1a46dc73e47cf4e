/** Whether what an SDK hosts is well, by its own checks. What follows from it for the terminator is told separately. */
import { sessionOf } from '../edge/client-tokens.ts'
import { EdgeRefusal } from '../edge/edge-refusal.ts'
import { defineHandler } from '../handler.ts'

export const healthEvent = defineHandler(
  'healthEvent',
  ({ message: { body }, from }, { kit, clientTokens, healthChecks, log }) => {
    const { apiSessionToken, sessionToken, checkPassed } = body
    try {
      const { serviceId } = sessionOf({ view: kit.view, ...clientTokens }, apiSessionToken, sessionToken)
      healthChecks.count(serviceId, checkPassed)
    } catch (error) {
      // It is told without being asked for, and nobody waits for an answer.
      if (!(error instanceof EdgeRefusal)) throw error
      log.debug('health check of no session', { router: from.routerId, err: error })
    }
  },
)
