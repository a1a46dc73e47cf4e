/** A server on this machine that tunnelers reach in the name of a service, and a program that talks through a tunneler. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { until } from '../kit/patience.ts'

/** Long enough for the largest exchange on a busy machine. */
const EXCHANGE_LIMIT = 60_000

export interface LocalServer extends AsyncDisposable {
  readonly port: number
}

/** Says over TCP what it hears; ends when the other side has ended, not before. */
export async function tcpEcho(): Promise<LocalServer> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: async () => void server.close() }
}

/** Answers datagrams with what they hold. */
export async function udpEcho(): Promise<LocalServer> {
  const socket = createSocket('udp4')
  socket.on('message', (message, { port, address }) => socket.send(message, port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port, [Symbol.asyncDispose]: async () => void socket.close() }
}

/** Waits until somebody listens on a port. */
export async function isListening(port: number): Promise<void> {
  const accepts = async () => {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return true
    } catch {
      return false
    } finally {
      socket.destroy()
    }
  }
  await until(`port ${port} is open`, accepts, { within: 40_000, every: 200 })
}

export interface Exchange {
  readonly bytes: number
  /**
   * Whether the other side must end as well when ours has. A stock tunneler that dials what a stock router hosts tells no
   * end of one direction, whichever the controller: there only the bytes are judged.
   */
  readonly until: 'its end' | 'its last byte'
}

/** Says so many bytes to a port, ends its side, and must hear them all. */
export async function echoes(port: number, { bytes, until: last }: Exchange): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const [said, heard] = [createHash('sha256'), createHash('sha256')]
  let arrived = 0
  socket.on('data', (part) => {
    arrived += part.length
    heard.update(part)
    if (arrived >= bytes) socket.emit('its last byte')
  })
  socket.on('end', () => socket.emit('its end'))
  const within = { signal: AbortSignal.timeout(EXCHANGE_LIMIT) }
  const ended = once(socket, last, within).then(
    () => undefined,
    (error: Error) => error,
  )
  try {
    for (let left = bytes; left > 0; left -= 65_536) {
      const part = randomBytes(Math.min(left, 65_536))
      said.update(part)
      if (!socket.write(part)) await once(socket, 'drain', within)
    }
    socket.end()
    assert.deepEqual([await ended, arrived], [undefined, bytes])
    assert.equal(heard.digest('hex'), said.digest('hex'))
  } finally {
    socket.destroy()
  }
}

/** Sends a datagram to a port until one with the same content comes back. */
export async function answersDatagrams(port: number): Promise<void> {
  const socket = createSocket('udp4')
  const text = randomBytes(16).toString('hex')
  let heard = ''
  socket.on('message', (message) => {
    heard = message.toString()
  })
  try {
    const isAnswered = () => {
      socket.send(text, port, '127.0.0.1')
      return heard === text
    }
    await until('the datagram is answered', isAnswered, { within: 20_000, every: 200 })
  } finally {
    socket.close()
  }
}
