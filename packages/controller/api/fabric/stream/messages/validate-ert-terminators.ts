/** Whether routers host what their own tunnelers have registered. */
import { validateHosted as begin, type HostedResult } from '../../../../control/validation/hosted-terminators.ts'
import { defineStreamHandler } from '../stream-handler.ts'
import { streamValidation } from '../stream-validation.ts'

export const validateErtTerminators = defineStreamHandler(
  'validateErtTerminators',
  async ({ message, frame, stream }, context) => {
    const deps = { ...context, select: context.select(stream.call) }
    await streamValidation({
      stream,
      frame,
      controllerId: context.controllerId,
      started: 'validateErtTerminatorsStarted',
      begin: () => begin(deps, message.body.filter, 'tunneler'),
      tell: (result) => stream.send('ertTerminatorsResult', { body: shown(result) }),
    })
  },
)

/** Of a tunneler's terminators less is told than of an SDK's. */
function shown({ details = [], ...result }: HostedResult) {
  const few = details.map(({ terminatorId, ctrlState, routerState, isValid }) => {
    return { terminatorId, ctrlState, routerState, isValid }
  })
  return { ...result, details: few }
}
