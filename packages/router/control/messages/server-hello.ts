/** A controller greets a router that serves clients, and is told where these connect. */
import { networkVersion } from '../../version.ts'
import { urgentQueue } from '../controller-connection.ts'
import { defineHandler } from '../handler.ts'

export const serverHello = defineHandler('serverHello', ({ frame, from }, { edgeListeners, model }) => {
  const listeners = edgeListeners()
  const advertised = listeners.flatMap(({ advertise }) => (advertise === undefined ? [] : [advertise]))
  return from.reply(
    frame,
    'clientHello',
    {
      hasDataModel: true,
      dataModelIndex: model.model.index,
      body: {
        version: networkVersion,
        hostname: advertised[0]?.hostname ?? '',
        protocols: advertised.map(({ protocol }) => protocol),
        protocolPorts: advertised.map(({ port }) => String(port)),
        listeners,
      },
    },
    { queue: urgentQueue },
  )
})
