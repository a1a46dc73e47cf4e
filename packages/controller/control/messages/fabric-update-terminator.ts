/** A router changes what any terminator of its own costs, or how it ranks. */
import { updateTerminator } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { answerWithResult } from '../result-answer.ts'

export const fabricUpdateTerminator = defineHandler(
  'fabricUpdateTerminator',
  ({ message: { body }, frame, from }, { kit }) =>
    answerWithResult(from, frame, async () => {
      await kit.writeAsController((change) => updateTerminator(change, from.routerId, undefined, body))
      return ''
    }),
)
