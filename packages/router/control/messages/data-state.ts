/** The whole data model. */
import { defineHandler } from '../handler.ts'

export const dataState = defineHandler('dataState', ({ message: { subscriptionId, body }, from }, { model }) => {
  model.takeState(from, subscriptionId, body)
})
