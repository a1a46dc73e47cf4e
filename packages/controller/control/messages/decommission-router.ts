/** A router leaves for good: it is deleted, and its channel ends with it. Only a failure is answered. */
import { refusalOf } from '../edge/edge-refusal.ts'
import { defineHandler } from '../handler.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const decommissionRouter = defineHandler('decommissionRouter', async ({ frame, from }, { kit, log }) => {
  try {
    await writeFromRouter({ kit, from, method: 'decommission.router' }, (change) =>
      change.remove('routers', from.routerId),
    )
    log.info('router decommissioned itself', { router: from.routerId })
  } catch (error) {
    from.reply(frame, 'result', { success: false, body: refusalOf(error).message })
  }
})
