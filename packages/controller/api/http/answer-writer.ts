/**
 * Writes answers: one head, one body, one call to the socket (bench/http.ts).
 *
 * Bodies stay strings when they can, because the platform joins a string body with the head into a single write.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { StreamedList, WrittenBody } from '../../operation/envelope.ts'
import type { Answer } from '../../operation/operation.ts'
import { endLingering } from './body-reader.ts'
import { type Coding, pack, preferredCoding, SMALLEST_PACKED } from './compression.ts'
import { CROSS_ORIGIN_HEADERS } from './cors.ts'
import { JSON_TYPE } from './negotiation.ts'

export interface AnswerWriterOptions {
  /** The `server` header. */
  readonly server: string
  /** Random per process: a client that sees it change reads the version document again. */
  readonly instanceId: string
}

type Headers = Answer['headers']

/** What becomes of the connection: kept, closed, or closed once the rest of the request has been dropped. */
export type Ending = 'keep' | 'close' | 'linger'

export class AnswerWriter {
  readonly #server: string
  readonly #instanceId: string

  constructor({ server, instanceId }: AnswerWriterOptions) {
    this.#server = server
    this.#instanceId = instanceId
  }

  /** Sends what a handler answered; throws when its body cannot be written as JSON. */
  sendAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer): void | Promise<void> {
    const { status, body, contentType = JSON_TYPE, headers } = answer
    if (body instanceof StreamedList) return this.#stream(request, response, answer, body)
    if (answer.contentType !== undefined && (typeof body === 'string' || body instanceof Uint8Array)) {
      return this.send(request, response, status, body, contentType, headers)
    }
    const text = body === undefined ? '' : `${body instanceof WrittenBody ? body.text : JSON.stringify(body)}\n`
    return this.send(request, response, status, text, contentType, headers)
  }

  /** Sends a list as fast as the client takes it, and lets others go between two pieces. */
  async #stream(
    request: IncomingMessage,
    response: ServerResponse,
    { status, contentType = JSON_TYPE, headers }: Answer,
    list: StreamedList,
  ): Promise<void> {
    if (response.destroyed) return
    response.writeHead(status, this.#head(request, contentType, headers) as string[])
    for (const piece of list.pieces()) {
      await sent(response, piece)
      await setImmediate()
      if (response.destroyed) return
    }
    response.end('\n')
  }

  /** Sends a body as it is, packed when the client asks for it; a promise only while a large one is being packed. */
  send(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    body: string | Uint8Array,
    contentType: string,
    headers: Headers,
    ending: Ending = 'keep',
  ): void | Promise<void> {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    const accepted = request.headers['accept-encoding']
    if (accepted !== undefined && length >= SMALLEST_PACKED && ending !== 'linger') {
      const coding = preferredCoding(accepted)
      if (coding !== undefined) {
        const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, length)
        const packed = pack(coding, bytes)
        if (Buffer.isBuffer(packed))
          return this.#write(request, response, status, packed, contentType, headers, ending, coding)
        return packed.then((later) =>
          this.#write(request, response, status, later, contentType, headers, ending, coding),
        )
      }
    }
    this.#write(request, response, status, body, contentType, headers, ending, undefined, length)
  }

  #write(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    body: string | Uint8Array,
    contentType: string,
    headers: Headers,
    ending: Ending,
    coding: Coding | undefined,
    length = body.length,
  ): void {
    if (response.destroyed) return
    const head = this.#head(request, contentType, headers)
    head.push('content-length', length)
    if (coding !== undefined) head.push('content-encoding', coding)
    if (ending !== 'keep') head.push('connection', 'close')
    response.writeHead(status, head as string[])
    if (ending === 'linger') endLingering(request, response, body as string)
    // Plain ASCII is the same in both, and written as Latin-1 it need not be encoded.
    else if (typeof body === 'string') response.end(body, body.length === length ? 'latin1' : 'utf8')
    else response.end(body)
  }

  /** The lines that every answer has. */
  #head(request: IncomingMessage, contentType: string, headers: Headers): (string | number)[] {
    const head: (string | number)[] = ['content-type', contentType, 'server', this.#server]
    head.push('ziti-instance-id', this.#instanceId)
    if (request.headers.origin !== undefined) head.push(...CROSS_ORIGIN_HEADERS)
    if (headers !== undefined) pushHeaders(head, headers)
    return head
  }
}

/**
 * Writes a piece and waits until it is on its way, or the client is gone. The platform's 'drain' does not always come: a
 * response gathers what is written in one tick and may find room that it had said was not there.
 */
function sent(response: ServerResponse, piece: string): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('close', done)
      resolve()
    }
    response.once('close', done)
    response.write(piece, done)
  })
}

function pushHeaders(head: (string | number)[], headers: NonNullable<Headers>): void {
  for (const name in headers) {
    const value = headers[name] as string | readonly string[]
    if (typeof value === 'string') head.push(name, value)
    else for (const line of value) head.push(name, line)
  }
}
