/** What one transaction changed of the data model. */
import { defineHandler } from '../handler.ts'

export const dataStateChangeSet = defineHandler(
  'dataStateChangeSet',
  ({ message: { subscriptionId, body }, from }, { model }) => {
    model.takeChangeSet(from, subscriptionId, body)
  },
)
