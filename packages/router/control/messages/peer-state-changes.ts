/** What controllers say of other routers: links follow from it. */
import { defineHandler } from '../handler.ts'

export const peerStateChanges = defineHandler('peerStateChanges', ({ message: { body } }, { links }) => {
  for (const change of body.changes) links.applyPeerState(change)
})
