/** Whether routers have the links that the controller knows. */
import { validateLinks as begin } from '../../../../control/validation/links.ts'
import { defineStreamHandler } from '../stream-handler.ts'
import { streamValidation } from '../stream-validation.ts'

export const validateLinks = defineStreamHandler('validateLinks', async ({ message, frame, stream }, context) => {
  const deps = { ...context, select: context.select(stream.call) }
  await streamValidation({
    stream,
    frame,
    controllerId: context.controllerId,
    started: 'validateLinksStarted',
    begin: () => begin(deps, message.body.filter),
    tell: (body) => stream.send('linksResult', { body }),
  })
})
