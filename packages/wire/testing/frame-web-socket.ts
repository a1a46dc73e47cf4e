/** Opens a websocket whose messages are frames, as tools open a management stream. */
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { WebSocketConnection } from '../transport/web-socket-connection.ts'

export interface FrameWebSocketOptions {
  readonly ca: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The connection, or the status with which it was refused. */
export function openFrameWebSocket(url: string, options: FrameWebSocketOptions): Promise<WebSocketConnection | number> {
  const { promise, resolve, reject } = Promise.withResolvers<WebSocketConnection | number>()
  const webSocket = new WebSocket(url, { ca: options.ca, headers: options.headers ?? {}, perMessageDeflate: false })
  const onError = (error: Error) => reject(error)
  webSocket.once('error', onError)
  webSocket.once('unexpected-response', (_, response: IncomingMessage) => {
    webSocket.off('error', onError)
    webSocket.on('error', () => {})
    resolve(response.statusCode ?? 0)
    webSocket.terminate()
  })
  webSocket.once('open', () => {
    webSocket.off('error', onError)
    resolve(new WebSocketConnection(webSocket, { localAddress: '', remoteAddress: url }))
  })
  return promise
}
