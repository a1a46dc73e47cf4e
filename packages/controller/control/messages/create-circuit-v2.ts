/** A dial with a session for the service. */
import { sessionOf } from '../edge/client-tokens.ts'
import { dialFor } from '../edge/dial.ts'
import { EdgeRefusal, replyRefusal } from '../edge/edge-refusal.ts'
import { accessedService, checkRouter } from '../edge/router-access.ts'
import { defineHandler } from '../handler.ts'

export const createCircuitV2 = defineHandler('createCircuitV2', async ({ message, frame, from }, context) => {
  try {
    const { view } = context.kit
    const session = sessionOf({ view, ...context.clientTokens }, message.apiSessionToken ?? '', message.sessionToken)
    if (session.type !== 'Dial') throw new EdgeRefusal('wrongSessionType', 'the session is not for dialling')
    const access = { routerId: from.routerId, ...session }
    checkRouter(view, access, 'invalidEdgeRouterForSession')
    accessedService(view, access, 'Dial')
    const circuit = await dialFor(context, from, {
      ...session,
      clientId: session.sessionId,
      instanceId: message.terminatorInstanceId,
      peerData: message.peerData,
      isNamed: true,
    })
    from.reply(frame, 'createCircuitV2Response', circuit)
  } catch (error) {
    replyRefusal(from, frame, error)
  }
})
