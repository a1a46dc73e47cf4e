/** A dial without a session for the service: the router has judged it by the data model, and it is judged again here. */
import { bearerOf } from '../edge/client-tokens.ts'
import { dialFor } from '../edge/dial.ts'
import { EdgeRefusal, replyRefusal } from '../edge/edge-refusal.ts'
import { accessedService, checkRouter } from '../edge/router-access.ts'
import { defineHandler } from '../handler.ts'

const LONGEST_ID = 64

export const createCircuitV3 = defineHandler('createCircuitV3', async ({ message, frame, from }, context) => {
  try {
    const { view } = context.kit
    const client = bearerOf({ view, ...context.clientTokens }, message.apiSessionToken ?? '')
    if (client.identityId !== message.identityId) {
      throw new EdgeRefusal('invalidApiSession', 'the token is of another identity')
    }
    const access = { routerId: from.routerId, identityId: client.identityId, serviceId: message.serviceId }
    accessedService(view, access, 'Dial')
    checkRouter(view, access, 'accessDenied')
    const { circuitId = '' } = message
    if (circuitId.length > LONGEST_ID) throw new EdgeRefusal('internal', 'the wanted circuit id is too long')
    const circuit = await dialFor(context, from, {
      ...client,
      clientId: client.identityId,
      serviceId: message.serviceId,
      ...(circuitId !== '' && { circuitId }),
      instanceId: message.terminatorInstanceId,
      peerData: message.peerData,
      isNamed: true,
    })
    from.reply(frame, 'createCircuitV3Response', circuit)
  } catch (error) {
    replyRefusal(from, frame, error)
  }
})
