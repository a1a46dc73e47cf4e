/** A router changes what any terminator of its own costs, or how it ranks. */
import { updateTerminator } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { answerWithResult } from '../result-answer.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const fabricUpdateTerminator = defineHandler(
  'fabricUpdateTerminator',
  ({ message: { body }, frame, from }, { kit }) =>
    answerWithResult(from, frame, async () => {
      await writeFromRouter({ kit, from, method: 'fabric.update.terminator' }, (change) =>
        updateTerminator(change, from.routerId, undefined, body),
      )
      return ''
    }),
)
