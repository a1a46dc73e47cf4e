/** Whether what a router itself hosts is well, by its own checks. */
import { defineHandler } from '../handler.ts'

export const tunnelHealthEvent = defineHandler('tunnelHealthEvent', ({ message, from }, { kit, healthChecks }) => {
  const terminator = kit.view.get('terminators', message.terminatorId)
  if (terminator?.routerId !== from.routerId) return
  healthChecks.count(terminator.serviceId, message.checkPassed)
})
