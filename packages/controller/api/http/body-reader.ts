/**
 * Reads request bodies inside two bounds: one per body, and one for all bodies held at the same time.
 *
 * A declared length is believed only when it is too large; memory is taken for what has arrived. Arriving pieces are
 * copied together, because a client may send one byte at a time, and each piece costs a hundred times that.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, tooManyRequests } from '../../operation/api-error.ts'

/** The largest body the APIs take, inclusive. */
export const LARGEST_BODY = 1_048_576

const LARGEST_SUM_OF_BODIES = 64 * LARGEST_BODY

/** The connection ended before the body did: nobody is left to answer. */
export class BodyLost extends Error {
  readonly code = 'BODY_LOST'

  constructor() {
    super('the connection ended before the request body did')
    this.name = 'BodyLost'
  }
}

export interface BodyReaderOptions {
  /** Bytes of one body. */
  readonly limit?: number
  /** Bytes of all bodies that are being read. */
  readonly sumLimit?: number
}

/** True when a request carries a body, be it one of unknown length. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/** One reader serves all APIs of a process, so that its bound on the sum of bodies means something. */
export class BodyReader {
  readonly #limit: number
  readonly #sumLimit: number
  #held = 0

  constructor({ limit = LARGEST_BODY, sumLimit = LARGEST_SUM_OF_BODIES }: BodyReaderOptions = {}) {
    this.#limit = limit
    this.#sumLimit = sumLimit
  }

  /** Bytes of memory that bodies take now. */
  get held(): number {
    return this.#held
  }

  /** True when the declared length alone is reason to refuse. */
  isDeclaredTooLarge(headers: IncomingHttpHeaders): boolean {
    const length = headers['content-length']
    return length !== undefined && Number(length) > this.#limit
  }

  /** Reads a body and hands it to `use`, which must not keep it. Rejects with an `ApiError` or with `BodyLost`. */
  read<T>(request: IncomingMessage, response: ServerResponse, use: (bytes: Buffer) => T): Promise<T> {
    let whole: Buffer = Buffer.alloc(0)
    let length = 0
    return this.#consume(
      request,
      response,
      (piece) => {
        const needed = length + piece.length
        if (length === 0) {
          this.#hold(piece.length)
          whole = piece
        } else if (needed > whole.length) {
          const grown = Math.min(this.#limit, Math.max(2 * whole.length, needed, 1024))
          this.#hold(grown - whole.length)
          const larger = Buffer.allocUnsafeSlow(grown)
          whole.copy(larger, 0, 0, length)
          whole = larger
        }
        if (length > 0) piece.copy(whole, length)
        length = needed
      },
      () => use(whole.subarray(0, length)),
    ).finally(() => {
      this.#held -= whole.length
    })
  }

  /** Reads a body and drops it. Rejects with an `ApiError` when it is too large, or with `BodyLost`. */
  discard(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#consume(
      request,
      response,
      () => {},
      () => {},
    )
  }

  #hold(bytes: number): void {
    if (this.#held + bytes > this.#sumLimit) throw tooManyRequests()
    this.#held += bytes
  }

  #consume<T>(
    request: IncomingMessage,
    response: ServerResponse,
    take: (piece: Buffer) => void,
    finish: () => T,
  ): Promise<T> {
    if (request.headers.expect !== undefined) response.writeContinue()
    return new Promise((resolve, reject) => {
      let arrived = 0
      const onData = (piece: Buffer) => {
        try {
          arrived += piece.length
          if (arrived > this.#limit) throw new ApiError('REQUEST_ENTITY_TOO_LARGE')
          take(piece)
        } catch (error) {
          request.pause()
          settle(() => reject(error))
        }
      }
      const onEnd = () => {
        settle(() => {
          try {
            resolve(finish())
          } catch (error) {
            reject(error)
          }
        })
      }
      const onLost = () => settle(() => reject(new BodyLost()))
      const settle = (how: () => void) => {
        request.off('data', onData).off('end', onEnd).off('close', onLost).off('error', onLost)
        // A connection reset after this point must not surface as an unhandled 'error'.
        request.on('error', () => {})
        how()
      }
      request.on('data', onData).on('end', onEnd).on('close', onLost).on('error', onLost)
      request.resume() // It may have been paused by an attempt to read it that failed.
    })
  }
}

const LINGER_BYTES = 8 * LARGEST_BODY
const LINGER_TIME = 1000

/**
 * Ends a response whose request is still arriving. Closing at once would reset the connection, and a client that sends
 * its whole body before it reads would never see the answer; so the rest is dropped for a while first.
 */
export function endLingering(request: IncomingMessage, response: ServerResponse, body: string): void {
  response.write(body)
  let left = LINGER_BYTES
  const timer = setTimeout(() => response.end(), LINGER_TIME)
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  request.on('data', (piece: Buffer) => {
    left -= piece.length
    if (left < 0) end()
  })
  request.on('end', end).on('close', end).on('error', end)
  request.resume()
}
