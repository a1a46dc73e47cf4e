/** API sessions whose clients are connected to a router: they are in use. Of those that have ended the router is told. */
import { findOne } from '../../state/view.ts'
import { defineHandler } from '../handler.ts'

/** As many as routers put into one message. */
const MOST_TOKENS = 10_000

export const apiSessionHeartbeat = defineHandler(
  'apiSessionHeartbeat',
  ({ message: { body }, from }, { kit, activity }) => {
    const ended: string[] = []
    for (const token of body.tokens.slice(0, MOST_TOKENS)) {
      const session = findOne(kit.view, 'apiSessions', 'token', token)
      if (session === undefined) ended.push(token)
      else activity.touch(session.id)
    }
    if (ended.length > 0) from.tell('apiSessionRemoved', { body: { tokens: ended } })
  },
)
