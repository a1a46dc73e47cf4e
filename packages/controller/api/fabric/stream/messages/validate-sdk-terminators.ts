/** Whether routers host what their SDKs have registered. */
import { validateHosted as begin } from '../../../../control/validation/hosted-terminators.ts'
import { defineStreamHandler } from '../stream-handler.ts'
import { streamValidation } from '../stream-validation.ts'

export const validateSdkTerminators = defineStreamHandler(
  'validateSdkTerminators',
  async ({ message, frame, stream }, context) => {
    const deps = { ...context, select: context.select(stream.call) }
    await streamValidation({
      stream,
      frame,
      controllerId: context.controllerId,
      started: 'validateSdkTerminatorsStarted',
      begin: () => begin(deps, message.body.filter, 'sdk'),
      tell: (body) => stream.send('sdkTerminatorsResult', { body }),
    })
  },
)
