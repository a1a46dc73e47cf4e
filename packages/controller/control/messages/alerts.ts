/** What a router wants somebody to know. */
import { defineHandler } from '../handler.ts'

export const alerts = defineHandler('alerts', ({ message: { body }, from }, { reports }) => {
  reports.alerts(from.routerId, body.alerts)
})
