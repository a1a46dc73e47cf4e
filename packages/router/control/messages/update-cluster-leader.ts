/** The sender leads the controllers from now on. */
import { defineHandler } from '../handler.ts'

export const updateClusterLeader = defineHandler(
  'updateClusterLeader',
  ({ message: { body }, from }, { controllers }) => {
    controllers.applyLeader(from, body.index)
  },
)
