/** Starts a server and says where it listens, or why it does not. */
import type { AddressInfo, Server } from 'node:net'
import { formatHostPort } from './address.ts'
import { TransportError } from './transport-error.ts'

export function listenOn(server: Server, host: string, port: number): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<AddressInfo>()
  const onError = (cause: NodeJS.ErrnoException) => {
    reject(
      new TransportError('LISTEN_FAILED', `${formatHostPort(host, port)}, ${cause.code ?? cause.message}`, { cause }),
    )
  }
  server.once('error', onError)
  server.listen({ port, ...(host === '' ? {} : { host }) }, () => {
    server.off('error', onError)
    resolve(server.address() as AddressInfo)
  })
  return promise
}
