/** A 1.x router hosts a terminator of its own no longer. */
import { replyRefusal } from '../edge/edge-refusal.ts'
import { removeTerminators } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const removeTunnelTerminator = defineHandler(
  'removeTunnelTerminator',
  async ({ message: { body: terminatorId }, frame, from }, { kit }) => {
    try {
      await writeFromRouter({ kit, from, method: 'tunnel.remove.terminator' }, (change) =>
        removeTerminators(change, from.routerId, [terminatorId]),
      )
      from.reply(frame, 'removeTunnelTerminatorResponse', {})
    } catch (error) {
      replyRefusal(from, frame, error)
    }
  },
)
