/** The end of a circuit. */
import { defineHandler } from '../handler.ts'

export const unroute = defineHandler('unroute', ({ message: { body } }, { routes }) => {
  routes.end(body.circuitId, body.now ? 'now' : 'when quiet')
})
