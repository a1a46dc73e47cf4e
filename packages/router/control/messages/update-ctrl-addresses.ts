/** Which controllers there are, and where. */
import { defineHandler } from '../handler.ts'

export const updateCtrlAddresses = defineHandler(
  'updateCtrlAddresses',
  ({ message: { body }, from }, { controllers }) => {
    controllers.applyAddresses(from, body)
  },
)
