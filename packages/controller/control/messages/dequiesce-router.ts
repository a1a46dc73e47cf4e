/** A router is back in service. */
import { dequiesce } from '../edge/quiescence.ts'
import { defineHandler } from '../handler.ts'
import { answerWithResult } from '../result-answer.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const dequiesceRouter = defineHandler('dequiesceRouter', ({ frame, from }, { kit }) =>
  answerWithResult(from, frame, async () => {
    await writeFromRouter({ kit, from, method: 'dequiesce.router' }, (change) => dequiesce(change, from.routerId))
    return 'router dequiesced'
  }),
)
