/** Sessions for services that a router has kept over the loss of its channel. Of those that have ended it is told. */
import { defineHandler } from '../handler.ts'

const MOST_SESSIONS = 10_000

export const validateSessions = defineHandler('validateSessions', ({ message: { body }, from }, { kit }) => {
  const ended = body.sessionTokens.slice(0, MOST_SESSIONS).filter((id) => kit.view.get('sessions', id) === undefined)
  if (ended.length > 0) from.tell('sessionRemoved', { body: { tokens: ended, ids: ended } })
})
