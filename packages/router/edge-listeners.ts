/** Where clients of the router connect, as controllers are told and pass on to them. */
import type { ClientHello } from '@weft/wire/messages'
import type { RouterConfig } from './config/router-config.ts'

export function edgeListenersOf({ listeners }: Pick<RouterConfig, 'listeners'>): ClientHello['listeners'] {
  return listeners.flatMap((listener) => {
    if (listener.binding !== 'edge') return []
    const { address, advertise } = listener
    const { protocol } = address
    return [
      {
        address: { value: address.text, protocol, hostname: address.host, port: address.port },
        advertise: { value: advertise.text, protocol, hostname: advertise.host, port: advertise.port },
      },
    ]
  })
}
