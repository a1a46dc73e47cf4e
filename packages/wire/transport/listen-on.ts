/** Starts a server and says where it listens, or why it does not. */
import type { AddressInfo, Server } from 'node:net'
import { formatHostPort } from './address.ts'
import { TransportError } from './transport-error.ts'

/** Connections that the system may hold until they are accepted: a network that comes back comes all at once. */
const backlog = 4_096

export function listenOn(server: Server, host: string, port: number): Promise<AddressInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<AddressInfo>()
  const onError = (cause: NodeJS.ErrnoException) => {
    reject(
      new TransportError('LISTEN_FAILED', `${formatHostPort(host, port)}, ${cause.code ?? cause.message}`, { cause }),
    )
  }
  server.once('error', onError)
  server.listen({ port, backlog, ...(host === '' ? {} : { host }) }, () => {
    server.off('error', onError)
    resolve(server.address() as AddressInfo)
  })
  return promise
}
