/** Connections that ask for another protocol, such as a websocket. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export interface UpgradeHandler {
  /** Whether a request is for this handler; others are answered as if they had not asked. */
  isWanted(request: IncomingMessage): boolean
  /** Takes the connection; must not throw. */
  accept(request: IncomingMessage, socket: Socket, head: Buffer): void
}

/** Refuses by hand: no response exists for a request that asks for another protocol. */
export function refuseUpgrade(socket: Socket, status: string, body: string, headers: readonly string[] = []): void {
  const head = [
    `HTTP/1.1 ${status}`,
    ...headers,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ]
  if (socket.writable) socket.end(head.join('\r\n'), () => socket.destroy())
  else socket.destroy()
}

/** In the words of peers, of everything that is no proper upgrade. */
export function refuseBadUpgrade(socket: Socket): void {
  refuseUpgrade(socket, '400 Bad Request', BAD_REQUEST, ['content-type: text/plain; charset=utf-8'])
}

export const BAD_REQUEST = 'Bad Request\n'
