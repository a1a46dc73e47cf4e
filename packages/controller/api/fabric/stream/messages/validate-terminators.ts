/** Whether stored terminators are hosted. */
import { validateTerminators as begin } from '../../../../control/validation/terminators.ts'
import { defineStreamHandler } from '../stream-handler.ts'
import { streamValidation } from '../stream-validation.ts'

export const validateTerminators = defineStreamHandler(
  'validateTerminators',
  async ({ message, frame, stream }, context) => {
    const deps = { ...context, select: context.select(stream.call) }
    let hosts: Awaited<ReturnType<typeof begin>>['hosts'] | undefined
    const hasBegun = await streamValidation({
      stream,
      frame,
      controllerId: context.controllerId,
      started: 'validateTerminatorsStarted',
      async begin() {
        const begun = await begin(deps, message.body)
        hosts = begun.hosts
        return begun
      },
      tell: (body) => stream.send('terminatorResult', { body }),
    })
    if (!hasBegun || hosts === undefined) return
    for (const body of await hosts()) await stream.send('terminatorHostResult', { body })
  },
)
