/** Makes connections to addresses. One deadline covers name look-up, TCP, proxy and TLS. */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { type Address, formatAddress, parseAddress } from './address.ts'
import type { Connection } from './connection.ts'
import { type HttpProxy, openTunnel } from './http-connect.ts'
import { tcpConnection, tlsConnection } from './socket-connection.ts'
import { type ClientMaterial, clientContext } from './tls-settings.ts'
import { TransportError } from './transport-error.ts'
import { dialWebSocket } from './web-socket-dial.ts'

export interface DialOptions {
  /** Offered by ALPN. */
  readonly protocols?: readonly string[]
  /** Required for everything but `tcp`. */
  readonly tls?: ClientMaterial
  readonly timeoutMilliseconds?: number
  /** The source address of the connection. */
  readonly localAddress?: string
  readonly proxy?: HttpProxy
  readonly signal?: AbortSignal
}

const defaultTimeout = 15_000

/** Rejects with `TransportError` and nothing left open. */
export async function dial(target: string | Address, options: DialOptions = {}): Promise<Connection> {
  const address = typeof target === 'string' ? parseAddress(target) : target
  const timeout = options.timeoutMilliseconds ?? defaultTimeout
  options.signal?.throwIfAborted()
  const socket = connectTcp({
    host: (options.proxy ?? address).host || 'localhost',
    port: (options.proxy ?? address).port,
    ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
  })
  const shown = formatAddress(address)
  const timer = setTimeout(() => socket.destroy(new TransportError('DIAL_TIMEOUT', shown)), timeout)
  const abort = () => socket.destroy(new TransportError('DIAL_FAILED', shown, { cause: options.signal?.reason }))
  options.signal?.addEventListener('abort', abort, { once: true })
  try {
    return await open(socket, address, options)
  } catch (error) {
    socket.destroy()
    throw error instanceof TransportError ? error : explain(shown, error as Error)
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', abort)
  }
}

async function open(socket: Socket, address: Address, options: DialOptions): Promise<Connection> {
  await arrival(socket, 'connect')
  if (options.proxy !== undefined) await openTunnel(socket, options.proxy, address.host, address.port)
  if (address.type === 'tcp') return tcpConnection(socket)
  if (address.type === 'tls') return tlsConnection(await startTls(socket, address, options))
  const material = materialOf(options)
  return await dialWebSocket(socket, address, clientContext(material), material.caPem)
}

async function startTls(socket: Socket, address: Address, options: DialOptions): Promise<TLSSocket> {
  const host = address.host || 'localhost'
  const secure = connectTls({
    socket,
    host,
    secureContext: clientContext(materialOf(options)),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(options.protocols === undefined ? {} : { ALPNProtocols: [...options.protocols] }),
  })
  await arrival(secure, 'secureConnect', socket)
  return secure
}

function materialOf({ tls }: DialOptions): ClientMaterial {
  if (tls === undefined) throw new TransportError('BAD_IDENTITY', 'a TLS dial needs authorities to trust')
  return tls
}

/** Waits for an event; the error may come from the socket below. */
function arrival(socket: Socket, event: 'connect' | 'secureConnect', below: Socket = socket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once(event, resolve)
  for (const each of new Set([socket, below])) {
    each.once('error', reject)
    each.once('close', () => reject(new TransportError('DIAL_FAILED', 'the peer closed the connection')))
  }
  return promise
}

function explain(shown: string, cause: Error): TransportError {
  const code = (cause as NodeJS.ErrnoException).code ?? ''
  const isTrust = /CERT|SIGNATURE|SELF_SIGNED|UNABLE_TO|INVALID_PURPOSE|ALTNAME|HOSTNAME/.test(code)
  const isProtocol = code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'
  return new TransportError(
    isTrust ? 'NOT_TRUSTED' : isProtocol ? 'NO_PROTOCOL' : 'DIAL_FAILED',
    `${shown}, ${code === '' ? cause.message : code}`,
    { cause },
  )
}
