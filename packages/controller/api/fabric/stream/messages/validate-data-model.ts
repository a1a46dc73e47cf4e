/** Whether routers have the data model as it is. */
import { validateDataModel as begin } from '../../../../control/validation/data-model.ts'
import { defineStreamHandler } from '../stream-handler.ts'
import { streamValidation } from '../stream-validation.ts'

export const validateDataModel = defineStreamHandler(
  'validateDataModel',
  async ({ message, frame, stream }, context) => {
    const deps = { ...context, select: context.select(stream.call) }
    await streamValidation({
      stream,
      frame,
      controllerId: context.controllerId,
      started: 'validateDataModelStarted',
      begin: () => begin(deps, message.body),
      tell: (body) => stream.send('dataModelResult', { body }),
    })
  },
)
