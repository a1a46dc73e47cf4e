/**
 * Begins the TLS of a server's connections when their first bytes are there. What comes in through TLS is gathered in
 * memory that stays with the connection: by itself the platform sets 64 KiB aside for it, but no more than the client's
 * hello needs where that has been read already. A server that has thousands of quiet connections is half as large.
 */
import type { Socket } from 'node:net'
import type { Server } from 'node:tls'

/**
 * Connections that say nothing within `patience` milliseconds are cut, and told of as handshakes that failed. Call it
 * before anybody listens to the server.
 */
export function beginTlsWithFirstBytes(server: Server, patience: number): void {
  const begin = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const timer = setTimeout(() => {
      server.emit('tlsClientError', tooLate(), socket)
      socket.destroy()
    }, patience)
    const cut = () => socket.destroy()
    socket.once('error', cut)
    socket.once('close', () => clearTimeout(timer))
    socket.once('readable', () => {
      clearTimeout(timer)
      socket.off('error', cut)
      if (socket.readableLength === 0) socket.destroy()
      else for (const listener of begin) listener.call(server, socket)
    })
  })
}

/** As the platform says it of those that have begun. */
function tooLate(): Error {
  return Object.assign(new Error('the client has said nothing'), { code: 'ERR_TLS_HANDSHAKE_TIMEOUT' })
}
