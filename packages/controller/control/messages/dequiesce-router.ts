/** A router is back in service. */
import { dequiesce } from '../edge/quiescence.ts'
import { defineHandler } from '../handler.ts'
import { answerWithResult } from '../result-answer.ts'

export const dequiesceRouter = defineHandler('dequiesceRouter', ({ frame, from }, { kit }) =>
  answerWithResult(from, frame, async () => {
    await kit.writeAsController((change) => dequiesce(change, from.routerId))
    return 'router dequiesced'
  }),
)
