/** Whether what a router itself hosts is well, by its own checks. */
import { defineHandler } from '../handler.ts'

export const tunnelHealthEvent = defineHandler('tunnelHealthEvent', ({ message, from }, { kit, reports }) => {
  const { terminatorId, checkPassed: hasPassed } = message
  const terminator = kit.view.get('terminators', terminatorId)
  if (terminator?.routerId !== from.routerId) return
  reports.healthCheck(from.routerId, { serviceId: terminator.serviceId, terminatorId, hasPassed })
})
