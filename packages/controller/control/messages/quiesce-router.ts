/** A router is about to be taken out of service. */
import { quiesce } from '../edge/quiescence.ts'
import { defineHandler } from '../handler.ts'
import { answerWithResult } from '../result-answer.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const quiesceRouter = defineHandler('quiesceRouter', ({ frame, from }, { kit }) =>
  answerWithResult(from, frame, async () => {
    await writeFromRouter({ kit, from, method: 'quiesce.router' }, (change) => quiesce(change, from.routerId))
    return 'router quiesced'
  }),
)
