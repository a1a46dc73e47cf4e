/** The connections of which a link consists have changed. */
import { defineHandler } from '../handler.ts'

export const linkState = defineHandler('linkState', ({ message: { body }, from }, { fabric }) => {
  const { linkId, linkIteration, connState } = body
  if (connState !== undefined) fabric.state.links.connectionsChanged(from, linkId, linkIteration, connState)
})
