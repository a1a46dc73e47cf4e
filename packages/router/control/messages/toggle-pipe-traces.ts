/** A controller wants to see what goes over the channels of this router: a trace file is what this one offers. */
import { defineHandler } from '../handler.ts'

export const togglePipeTraces = defineHandler('togglePipeTraces', ({ frame, from }) => {
  from.reply(frame, 'result', { success: false, body: 'this router traces to the file of its trace section only' })
})
