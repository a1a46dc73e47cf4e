/** Traces of single circuits, which no router keeps; whoever asks is told so. */
import { defineStreamHandler } from '../stream-handler.ts'

export const toggleCircuitTraces = defineStreamHandler('toggleCircuitTraces', async ({ frame, stream }) => {
  await stream.reply(frame, 'result', { success: false, body: 'circuits are not traced; trace channels instead' })
})
