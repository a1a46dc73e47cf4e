/** A controller compares the data model with its own, and may have it put right. */
import { defineHandler } from '../handler.ts'

export const validateDataState = defineHandler('validateDataState', ({ message: { body }, frame, from }, { model }) => {
  if (body.state === undefined) return
  const answer = model.validate(from, body.state, body.fix)
  return from.reply(frame, 'validateDataStateResponse', { body: answer }, { queue: 'low' })
})
