/** What controller and routers say of their inside. */
import { defineStreamHandler } from '../stream-handler.ts'

const MOST_VALUES = 100

export const inspect = defineStreamHandler(
  'inspect',
  async ({ message, frame, stream }, { inspector, controllerId }) => {
    const { appRegex, requestedValues } = message.body
    if (requestedValues.length > MOST_VALUES) {
      const errors = [`${controllerId}: more than ${MOST_VALUES} values at once`]
      await stream.reply(frame, 'inspectResponse', { body: { success: false, errors } })
      return
    }
    await stream.reply(frame, 'inspectResponse', { body: await inspector.inspect(appRegex, requestedValues) })
  },
)
