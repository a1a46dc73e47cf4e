/** Dials `wss:` and `ws:`: HTTP upgrade over a socket that is already connected, then TLS inside. */
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, rootCertificates, type SecureContext } from 'node:tls'
import { WebSocket } from 'ws'
import { type Address, formatHostPort } from './address.ts'
import type { Connection } from './connection.ts'
import { TransportError } from './transport-error.ts'
import { innerConnection, innerTls, maxWebSocketMessage, webSocketPath } from './web-socket-stream.ts'

const innerTimeout = 15_000

export async function dialWebSocket(
  socket: Socket,
  address: Address,
  inner: SecureContext,
  caPem: string,
): Promise<Connection> {
  const name = isIP(address.host) === 0 ? { servername: address.host } : {}
  const carrier =
    address.type === 'wss'
      ? // The outer certificate is often one that browsers know; the inner session is the one that proves the peer.
        connectTls({
          socket,
          host: address.host,
          ...name,
          ca: [caPem, ...rootCertificates],
          ALPNProtocols: ['http/1.1'],
        })
      : socket
  const webSocket = new WebSocket(`ws://${formatHostPort(address.host, address.port)}${webSocketPath}`, {
    createConnection: () => carrier,
    maxPayload: maxWebSocketMessage,
    perMessageDeflate: false,
  })
  await opened(webSocket, carrier)
  const start = (stream: Socket) => connectTls({ socket: stream, host: address.host, ...name, secureContext: inner })
  return innerConnection(await innerTls(webSocket, start, innerTimeout), socket)
}

function opened(webSocket: WebSocket, carrier: Socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  webSocket.once('open', resolve)
  webSocket.once('error', reject)
  webSocket.once('close', () => reject(new TransportError('DIAL_FAILED', 'the websocket was closed')))
  carrier.once('error', reject)
  return promise
}
