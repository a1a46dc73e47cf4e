/** A 1.x router hosts a terminator of an SDK no longer. */
import { replyRefusal } from '../edge/edge-refusal.ts'
import { removeTerminators } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const removeTerminator = defineHandler(
  'removeTerminator',
  async ({ message: { body }, frame, from }, { kit }) => {
    try {
      await writeFromRouter({ kit, from, method: 'remove.terminator' }, (change) =>
        removeTerminators(change, from.routerId, [body.terminatorId]),
      )
      from.reply(frame, 'removeTerminatorResponse', {})
    } catch (error) {
      replyRefusal(from, frame, error)
    }
  },
)
