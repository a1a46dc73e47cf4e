/** A controller says that a link has failed: the other end lost it, or an operator wants it gone. */
import { defineHandler } from '../handler.ts'

export const fault = defineHandler('fault', ({ message: { body } }, { links }) => {
  if (body.subject === 'LinkFault') links.applyFault(body.id, body.iteration)
})
