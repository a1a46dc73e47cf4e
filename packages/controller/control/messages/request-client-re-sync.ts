/** A router has missed something of the API sessions and wants to be told of all. */
import { defineHandler } from '../handler.ts'

export const requestClientReSync = defineHandler(
  'requestClientReSync',
  ({ message: { body }, from }, { kit, sessions, log }) => {
    if (kit.view.get('routers', from.routerId)?.kind !== 'edge') return
    log.info('router asks for all sessions', { router: from.routerId, reason: body.reason.slice(0, 200) })
    sessions.sync(from)
  },
)
