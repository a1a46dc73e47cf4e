/** A router asks whether anybody is there. */
import { defineHandler } from '../handler.ts'

export const ping = defineHandler('ping', ({ frame, from }) =>
  from.reply(frame, 'result', { success: true, body: 'ok' }),
)
