/**
 * A channel inside a websocket, as browsers reach edge routers: binary messages carry a second TLS session, and that one
 * proves both sides. Message boundaries mean nothing.
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { createWebSocketStream, type WebSocket } from 'ws'
import type { Connection } from './connection.ts'
import { endsOf, peerCertificates } from './socket-connection.ts'
import { StreamConnection } from './stream-connection.ts'
import { TransportError } from './transport-error.ts'

/** Where the upgrade is asked for. */
export const webSocketPath = '/ws'

/** Larger messages than this are refused by the websocket layer; TLS records are far smaller. */
export const maxWebSocketMessage = 1024 * 1024

/** Makes the inner session, on either side, once the websocket is open. */
export function innerTls(
  webSocket: WebSocket,
  start: (stream: Socket) => TLSSocket,
  timeoutMilliseconds: number,
): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const stream = createWebSocketStream(webSocket)
  // The TLS layer works over any duplex stream; its types ask for a socket.
  const secure = start(stream as unknown as Socket)
  const fail = (cause: Error | undefined) => {
    webSocket.terminate()
    reject(new TransportError('DIAL_FAILED', 'the session inside the websocket', { cause }))
  }
  const timer = setTimeout(() => fail(undefined), timeoutMilliseconds)
  secure.once('secure', () => resolve(secure))
  secure.once('error', fail)
  stream.once('error', fail)
  secure.once('close', () => {
    webSocket.terminate()
    fail(undefined)
  })
  return promise.finally(() => clearTimeout(timer))
}

export function innerConnection(secure: TLSSocket, outer: Socket): Connection {
  return new StreamConnection(secure, { ...endsOf(outer), certificates: peerCertificates(secure) })
}

/** The server's end of an inner session. The client's certificate is asked for; who accepts it judges it. */
export function innerServer(stream: Socket, options: ConstructorParameters<typeof TLSSocket>[1]): TLSSocket {
  return new TLSSocket(stream, { ...options, isServer: true, requestCert: true, rejectUnauthorized: false })
}
