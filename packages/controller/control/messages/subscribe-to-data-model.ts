/** A router asks for the data model, or for more of it. */
import { defineHandler } from '../handler.ts'

export const subscribeToDataModel = defineHandler(
  'subscribeToDataModel',
  ({ message: { body }, from }, { subscriptions }) => subscriptions.of(from).subscribe(body),
)
