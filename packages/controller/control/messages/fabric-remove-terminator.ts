/** A router hosts a terminator no longer. */
import { removeTerminators } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { answerWithResult } from '../result-answer.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const fabricRemoveTerminator = defineHandler(
  'fabricRemoveTerminator',
  ({ message: { body }, frame, from }, { kit }) =>
    answerWithResult(from, frame, async () => {
      await writeFromRouter({ kit, from, method: 'fabric.remove.terminator' }, (change) =>
        removeTerminators(change, from.routerId, [body.terminatorId]),
      )
      return ''
    }),
)
