/** A router hosts some terminators no longer. */
import { removeTerminators as remove } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { answerWithResult } from '../result-answer.ts'
import { writeFromRouter } from '../write-from-router.ts'

/** Routers send fifty at a time. */
const MOST_IDS = 1_000

export const removeTerminators = defineHandler('removeTerminators', ({ message: { body }, frame, from }, { kit }) =>
  answerWithResult(from, frame, async () => {
    const ids = body.terminatorIds.slice(0, MOST_IDS)
    await writeFromRouter({ kit, from, method: 'fabric.remove.terminators.batch' }, (change) =>
      remove(change, from.routerId, ids),
    )
    return ''
  }),
)
