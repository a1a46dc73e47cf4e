/** Whether routers carry the circuits that the controller has made. */
import { validateCircuits as begin } from '../../../../control/validation/circuits.ts'
import { defineStreamHandler } from '../stream-handler.ts'
import { streamValidation } from '../stream-validation.ts'

export const validateCircuits = defineStreamHandler('validateCircuits', async ({ message, frame, stream }, context) => {
  const deps = { ...context, select: context.select(stream.call) }
  await streamValidation({
    stream,
    frame,
    controllerId: context.controllerId,
    started: 'validateCircuitsStarted',
    begin: () => begin(deps, message.body.filter),
    tell: (body) => stream.send('circuitsResult', { body }),
  })
})
