/** A 1.x router that is a tunneler hosts a service itself. The terminator is named here, not by the router. */
import { newId } from '../../resource-kit/ids.ts'
import { replyRefusal } from '../edge/edge-refusal.ts'
import { checkTerminator, putTerminator } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const createTunnelTerminator = defineHandler(
  'createTunnelTerminator',
  async ({ message: { body }, frame, from }, { kit, tunnelerSessions, controllerId: sourceCtrl, validation }) => {
    const { serviceName, sessionId, address, startTime, ...wanted } = body
    const { routerId } = from
    try {
      checkTerminator({ id: address, cost: wanted.cost })
      const { session, told } = await tunnelerSessions.session(from, { serviceName, sessionId, type: 'Bind' })
      const { serviceId, identityId: hostId } = session
      const terminatorId = newId('uuid')
      const place = { id: terminatorId, address, binding: 'tunnel', serviceId, routerId, hostId, sourceCtrl }
      await writeFromRouter({ kit, from, method: 'tunnel.create.terminator' }, (change) =>
        putTerminator(change, { ...wanted, ...place }),
      )
      validation.queue(routerId, terminatorId)
      from.reply(frame, 'createTunnelTerminatorResponse', { body: { ...told, terminatorId, startTime } })
    } catch (error) {
      replyRefusal(from, frame, error)
    }
  },
)
