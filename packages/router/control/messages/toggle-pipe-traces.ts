/** A controller wants to see, or see no more, what goes over the channels of this router. */
import { defineHandler } from '../handler.ts'

export const togglePipeTraces = defineHandler('togglePipeTraces', ({ message: { body }, frame, from }, { traces }) => {
  const { success, text } = traces.toggle(from.channel, body)
  return from.reply(frame, 'result', { success, body: text })
})
