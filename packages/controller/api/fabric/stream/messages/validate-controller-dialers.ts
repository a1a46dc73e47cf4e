/** Whether the controller dials the routers that it should. */
import { validateDialers } from '../../../../control/validation/controller-dialers.ts'
import { defineStreamHandler } from '../stream-handler.ts'
import { streamValidation } from '../stream-validation.ts'

export const validateControllerDialers = defineStreamHandler(
  'validateControllerDialers',
  async ({ frame, stream }, { controllerId, view, routers, dialer }) => {
    if (dialer === undefined) {
      const message = `${controllerId}: controller dialer is not enabled`
      await stream.reply(frame, 'validateControllerDialersStarted', { body: { success: false, message } })
      return
    }
    await streamValidation({
      stream,
      frame,
      controllerId,
      started: 'validateControllerDialersStarted',
      begin: async () => validateDialers({ view, routers, dialer }),
      tell: (body) => stream.send('controllerDialersResult', { body }),
    })
  },
)
