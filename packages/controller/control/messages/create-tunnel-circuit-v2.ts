/** A dial by a router that is a tunneler itself: its own identity must be allowed to. */
import { findOne } from '../../state/view.ts'
import { dialFor } from '../edge/dial.ts'
import { EdgeRefusal, replyRefusal } from '../edge/edge-refusal.ts'
import { accessedService, checkRouter, routerIdentity } from '../edge/router-access.ts'
import { defineHandler } from '../handler.ts'

export const createTunnelCircuitV2 = defineHandler(
  'createTunnelCircuitV2',
  async ({ message: { body }, frame, from }, context) => {
    try {
      const { view } = context.kit
      const identity = routerIdentity(view, from.routerId)
      const service = findOne(view, 'services', 'name', body.serviceName)
      if (service === undefined) throw new EdgeRefusal('invalidService', `there is no service ${body.serviceName}`)
      const access = { routerId: from.routerId, identityId: identity.id, serviceId: service.id }
      accessedService(view, access, 'Dial')
      checkRouter(view, access, 'accessDenied')
      const circuit = await dialFor(context, from, {
        clientId: identity.id,
        identityId: identity.id,
        serviceId: service.id,
        instanceId: body.terminatorInstanceId,
        peerData: body.peerData,
        isNamed: false,
      })
      from.reply(frame, 'createTunnelCircuitV2Response', { body: circuit })
    } catch (error) {
      replyRefusal(from, frame, error)
    }
  },
)
