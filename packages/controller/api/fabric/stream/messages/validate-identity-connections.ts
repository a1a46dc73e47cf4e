/** Whether those are connected whom the controller believes to be. */
import { validateIdentityConnections as begin } from '../../../../control/validation/identity-connections.ts'
import { defineStreamHandler } from '../stream-handler.ts'
import { streamValidation } from '../stream-validation.ts'

export const validateIdentityConnections = defineStreamHandler(
  'validateIdentityConnections',
  async ({ message, frame, stream }, context) => {
    const deps = { ...context, select: context.select(stream.call) }
    await streamValidation({
      stream,
      frame,
      controllerId: context.controllerId,
      started: 'validateIdentityConnectionsStarted',
      begin: () => begin(deps, message.body.filter),
      tell: (body) => stream.send('identityConnectionsResult', { body }),
    })
  },
)
