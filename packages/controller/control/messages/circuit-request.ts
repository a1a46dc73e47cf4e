/** A dial that names no identity, of a `proxy` listener: for services of the fabric alone. `instance@service` names both. */
import { dialFor } from '../edge/dial.ts'
import { refusalOf } from '../edge/edge-refusal.ts'
import { fabricService } from '../edge/fabric-service.ts'
import { defineHandler } from '../handler.ts'

export const circuitRequest = defineHandler('circuitRequest', async ({ message: { body }, frame, from }, context) => {
  try {
    const [instanceId, wanted] = split(body.service)
    const { id: serviceId } = fabricService(context.kit.view, wanted)
    const { circuitId, address, peerData } = await dialFor(context, from, {
      clientId: body.ingressId,
      serviceId,
      instanceId,
      peerData: body.peerData,
      isNamed: false,
    })
    from.reply(frame, 'circuitSuccess', { ingressAddress: address, peerData, body: circuitId })
  } catch (error) {
    from.reply(frame, 'circuitFailed', { body: refusalOf(error).message })
  }
})

function split(service: string): readonly [instanceId: string, service: string] {
  const at = service.indexOf('@')
  return at < 0 ? ['', service] : [service.slice(0, at), service.slice(at + 1)]
}
