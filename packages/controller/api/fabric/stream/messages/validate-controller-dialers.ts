/** Whether the controller dials the routers it should. This one dials none: routers come to it. */
import { defineStreamHandler } from '../stream-handler.ts'

export const validateControllerDialers = defineStreamHandler(
  'validateControllerDialers',
  async ({ frame, stream }, { controllerId }) => {
    const message = `${controllerId}: controller dialer is not enabled`
    await stream.reply(frame, 'validateControllerDialersStarted', { body: { success: false, message } })
  },
)
