/** Connections over the platform's sockets. */
import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { formatHostPort } from './address.ts'
import type { Connection } from './connection.ts'
import { StreamConnection } from './stream-connection.ts'

/** Detects peers that vanished, as often as the Go peers do. */
const keepAliveDelay = 15_000
const maxCertificates = 10

/** Over a TLS socket whose handshake is done, on either side. */
export function tlsConnection(socket: TLSSocket): Connection {
  tune(socket)
  return new StreamConnection(socket, {
    ...endsOf(socket),
    certificates: peerCertificates(socket),
    protocol: typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : '',
  })
}

/** Over a plain socket: nobody is proved to be at the other end. */
export function tcpConnection(socket: Socket): Connection {
  tune(socket)
  return new StreamConnection(socket, endsOf(socket))
}

/** What was presented, in that order, as DER. */
export function peerCertificates(socket: TLSSocket): readonly Buffer[] {
  const found: Buffer[] = []
  // Followed from one to the next, these are the certificates of the handshake in their order, and only those.
  let next: X509Certificate | undefined = socket.getPeerX509Certificate()
  while (next !== undefined && found.length < maxCertificates) {
    found.push(next.raw)
    next = next.issuerCertificate
  }
  return found
}

export function endsOf(socket: Socket): { readonly localAddress: string; readonly remoteAddress: string } {
  const end = (host: string | undefined, port: number | undefined) =>
    `tcp:${formatHostPort(plain(host ?? ''), port ?? 0)}`
  return {
    localAddress: end(socket.localAddress, socket.localPort),
    remoteAddress: end(socket.remoteAddress, socket.remotePort),
  }
}

export function tune(socket: Socket): void {
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveDelay)
}

/** An IPv4 address stays one when the listener has both families. */
function plain(host: string): string {
  return host.startsWith('::ffff:') ? host.slice('::ffff:'.length) : host
}
