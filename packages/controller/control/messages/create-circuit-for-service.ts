/** A dial by a 1.x router that is a tunneler itself. */
import { dialFor } from '../edge/dial.ts'
import { replyRefusal } from '../edge/edge-refusal.ts'
import { defineHandler } from '../handler.ts'

export const createCircuitForService = defineHandler(
  'createCircuitForService',
  async ({ message: { body }, frame, from }, context) => {
    try {
      const { serviceName, sessionId, terminatorInstanceId: instanceId, peerData } = body
      const { session, told } = await context.tunnelerSessions.session(from, { serviceName, sessionId, type: 'Dial' })
      const { serviceId, identityId, apiSessionId } = session
      const circuit = await dialFor(context, from, {
        ...{ clientId: session.id, sessionId: session.id, serviceId, identityId, apiSessionId },
        instanceId,
        peerData,
        isNamed: true,
      })
      from.reply(frame, 'createCircuitForServiceResponse', { body: { ...told, ...circuit } })
    } catch (error) {
      replyRefusal(from, frame, error)
    }
  },
)
