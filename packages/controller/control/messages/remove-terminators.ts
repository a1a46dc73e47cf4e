/** A router hosts some terminators no longer. */
import { resultErrorRateLimited } from '@weft/wire/messages'
import { refusalOf } from '../edge/edge-refusal.ts'
import { removeTerminators as remove } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'

/** Routers send fifty at a time. */
const MOST_IDS = 1_000

export const removeTerminators = defineHandler(
  'removeTerminators',
  async ({ message: { body }, frame, from }, { kit }) => {
    try {
      const ids = body.terminatorIds.slice(0, MOST_IDS)
      await kit.writeAsController((change) => remove(change, from.routerId, ids))
      from.reply(frame, 'result', { success: true, body: '' })
    } catch (error) {
      const { isBusy, message } = refusalOf(error)
      const errorCode = isBusy ? { errorCode: resultErrorRateLimited } : {}
      from.reply(frame, 'result', { success: false, ...errorCode, body: message })
    }
  },
)
