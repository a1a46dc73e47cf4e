/** A look into the running router. */
import { defineHandler } from '../handler.ts'

export const inspectRequest = defineHandler('inspectRequest', ({ message: { body }, frame, from }, { inspect }) => {
  return from.reply(frame, 'inspectResponse', { body: inspect(body.requestedValues) })
})
