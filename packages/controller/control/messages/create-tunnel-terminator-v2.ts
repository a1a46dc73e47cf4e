/** A router that is a tunneler hosts a service itself. */
import { refusalOf } from '../edge/edge-refusal.ts'
import { accessedService, checkRouter, routerIdentity } from '../edge/router-access.ts'
import { checkTerminator, putTerminator } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const createTunnelTerminatorV2 = defineHandler(
  'createTunnelTerminatorV2',
  async ({ message: { body }, frame, from }, { kit, controllerId, validation }) => {
    const { address: id, serviceId, instanceId, instanceSecret, peerData, cost, precedence, startTime } = body
    const { routerId } = from
    const answer = { terminatorId: id, startTime }
    try {
      checkTerminator({ id, cost })
      const { id: hostId } = routerIdentity(kit.view, routerId)
      const access = { routerId, identityId: hostId, serviceId }
      accessedService(kit.view, access, 'Bind')
      checkRouter(kit.view, access, 'accessDenied')
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
      await writeFromRouter({ kit, from, method: 'tunnel.create.terminator.v2' }, (change) =>
        putTerminator(change, { ...wanted, binding: 'tunnel' }),
      )
      validation.queue(routerId, id)
      from.reply(frame, 'createTunnelTerminatorV2Response', { body: { ...answer, result: 'Success' } })
    } catch (error) {
      const { code: errorCode, hint, isBusy, message: msg } = refusalOf(error)
      const result = isBusy ? 'FailedBusy' : 'FailedOther'
      const refusal = { ...answer, result, msg, errorCode, retryHint: hint } as const
      from.reply(frame, 'createTunnelTerminatorV2Response', { body: refusal })
    }
  },
)
