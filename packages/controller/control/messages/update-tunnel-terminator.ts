/** A router changes what a terminator of its own costs, or how it ranks. */
import { replyRefusal } from '../edge/edge-refusal.ts'
import { updateTerminator } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const updateTunnelTerminator = defineHandler(
  'updateTunnelTerminator',
  async ({ message: { body }, frame, from }, { kit }) => {
    try {
      await writeFromRouter({ kit, from, method: 'tunnel.update.terminator' }, (change) =>
        updateTerminator(change, from.routerId, 'tunnel', body),
      )
      from.reply(frame, 'updateTunnelTerminatorResponse', {})
    } catch (error) {
      replyRefusal(from, frame, error)
    }
  },
)
