/**
 * Answers to what is not HTTP, or not inside its bounds: too large a head, two lengths, a request that never ends. No
 * request exists yet, so the answer is written to the socket by hand, and the connection ends.
 */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

const STATUS_OF: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** How long, and through how many more errors, a client that was refused may go on sending. */
const LINGER = 1_000
const MOST_ERRORS = 64

/** How many errors came after the answer. */
const answered = new WeakMap<Duplex, number>()

/** A listener for 'clientError'. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const errors = answered.get(socket)
  if (errors !== undefined) {
    if (errors >= MOST_ERRORS) socket.destroy()
    else answered.set(socket, errors + 1)
    return
  }
  // A response that has begun cannot be taken back: whatever were written now would be read as part of it.
  const current = (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage
  if (!socket.writable || !isAboutHttp(error.code ?? '') || current?.headersSent) {
    socket.destroy()
    return
  }
  const status = STATUS_OF[error.code ?? ''] ?? '400 Bad Request'
  answered.set(socket, 0)
  // Were the connection cut while the client still sends, the answer would be lost to it.
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
  socket.once('end', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${status.length}\r\n` +
      `connection: close\r\n\r\n${status}`,
  )
}

/** False for failed handshakes and lost connections, which arrive here as well. */
function isAboutHttp(code: string): boolean {
  return code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT'
}

/** Refuses a request with more header lines than allowed, which the platform would otherwise drop in silence. */
export function answerTooManyHeaders(response: ServerResponse): void {
  response.writeHead(431, ['content-length', '0', 'connection', 'close'])
  response.end()
}

/** Whether a request names its host twice, of which the platform would show the first only. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

export function answerTwoHosts(response: ServerResponse): void {
  response.writeHead(400, ['content-length', '0', 'connection', 'close'])
  response.end()
}
