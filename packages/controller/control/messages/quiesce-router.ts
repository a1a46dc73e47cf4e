/** A router is about to be taken out of service. */
import { quiesce } from '../edge/quiescence.ts'
import { defineHandler } from '../handler.ts'
import { answerWithResult } from '../result-answer.ts'

export const quiesceRouter = defineHandler('quiesceRouter', ({ frame, from }, { kit }) =>
  answerWithResult(from, frame, async () => {
    await kit.writeAsController((change) => quiesce(change, from.routerId))
    return 'router quiesced'
  }),
)
