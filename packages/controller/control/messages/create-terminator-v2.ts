/** An SDK hosts a service at a router. */
import { sessionOf } from '../edge/client-tokens.ts'
import { EdgeRefusal, refusalOf } from '../edge/edge-refusal.ts'
import { accessedService, checkRouter } from '../edge/router-access.ts'
import { checkTerminator, putTerminator } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'

export const createTerminatorV2 = defineHandler(
  'createTerminatorV2',
  async ({ message: { body }, frame, from }, context) => {
    const { kit, clientTokens, controllerId, validation } = context
    const { address: id, instanceId, instanceSecret, peerData, cost, precedence } = body
    const terminatorId = id
    try {
      checkTerminator({ id, cost })
      const session = sessionOf({ view: kit.view, ...clientTokens }, body.apiSessionToken, body.sessionToken)
      if (session.type !== 'Bind') throw new EdgeRefusal('wrongSessionType', 'the session is not for hosting')
      const { identityId: hostId, serviceId } = session
      const access = { routerId: from.routerId, identityId: hostId, serviceId }
      checkRouter(kit.view, access, 'invalidEdgeRouterForSession')
      accessedService(kit.view, access, 'Bind')
      const { routerId } = from
      const sourceCtrl = controllerId
      const wanted = {
        id,
        serviceId,
        routerId,
        hostId,
        instanceId,
        instanceSecret,
        peerData,
        cost,
        precedence,
        sourceCtrl,
      }
      await kit.writeAsController((change) => putTerminator(change, { ...wanted, binding: 'edge' }))
      validation.queue(routerId, id)
      from.reply(frame, 'createTerminatorV2Response', { body: { terminatorId, result: 'Success' } })
    } catch (error) {
      const { code: errorCode, hint, isBusy, message: msg } = refusalOf(error)
      const result = isBusy ? 'FailedBusy' : 'FailedOther'
      from.reply(frame, 'createTerminatorV2Response', {
        body: { terminatorId, result, msg, errorCode, retryHint: hint },
      })
    }
  },
)
