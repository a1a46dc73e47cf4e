/** Reaches a host through an HTTP proxy: a CONNECT request, and the tunnel behind its answer. */
import type { Socket } from 'node:net'
import { formatHostPort } from './address.ts'
import { TransportError } from './transport-error.ts'

export interface HttpProxy {
  readonly host: string
  readonly port: number
  readonly username?: string
  readonly password?: string
}

const maxAnswer = 16 * 1024

/** Turns a socket to the proxy into one to the target. The caller bounds the time and destroys the socket on failure. */
export function openTunnel(socket: Socket, proxy: HttpProxy, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let answer = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    answer = Buffer.concat([answer, chunk])
    const end = answer.indexOf('\r\n\r\n')
    if (end < 0) {
      if (answer.length > maxAnswer) reject(new TransportError('PROXY_REFUSED', 'its answer is too long'))
      return
    }
    socket.off('data', onData)
    socket.pause()
    const [, status = ''] = answer.toString('latin1', 0, end).split('\r\n', 1)[0]!.split(' ')
    if (status !== '200') reject(new TransportError('PROXY_REFUSED', `status ${status.slice(0, 16)}`))
    if (answer.length > end + 4) socket.unshift(answer.subarray(end + 4))
    resolve()
  }
  const onEnd = () => reject(new TransportError('PROXY_REFUSED', 'it closed the connection'))
  socket.on('data', onData)
  socket.once('close', onEnd)
  socket.write(requestFor(proxy, formatHostPort(host, port)))
  return promise.finally(() => {
    socket.off('data', onData)
    socket.off('close', onEnd)
  })
}

function requestFor({ username, password }: HttpProxy, target: string): string {
  const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`, 'User-Agent: weft']
  if (username !== undefined) {
    const credentials = Buffer.from(`${username}:${password ?? ''}`).toString('base64')
    lines.push(`Proxy-Authorization: Basic ${credentials}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}
