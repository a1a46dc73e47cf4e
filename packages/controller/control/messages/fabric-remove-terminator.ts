/** A router hosts a terminator no longer. */
import { removeTerminators } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { answerWithResult } from '../result-answer.ts'

export const fabricRemoveTerminator = defineHandler(
  'fabricRemoveTerminator',
  ({ message: { body }, frame, from }, { kit }) =>
    answerWithResult(from, frame, async () => {
      await kit.writeAsController((change) => removeTerminators(change, from.routerId, [body.terminatorId]))
      return ''
    }),
)
