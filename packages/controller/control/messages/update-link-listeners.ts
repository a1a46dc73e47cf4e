/** A router can now be dialled elsewhere. */
import { defineHandler } from '../handler.ts'

export const updateLinkListeners = defineHandler('updateLinkListeners', ({ message: { body }, from }, { fabric }) => {
  fabric.state.routers.update(from, { linkListeners: body.listeners })
})
