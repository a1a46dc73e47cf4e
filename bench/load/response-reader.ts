/**
 * Reads one HTTP/1.1 response at a time from the bytes of a connection: the status, where it ends, and the body if
 * anybody wants it. Just enough for servers that are known to speak properly, because the generator of the load shares
 * the machine with the server it measures.
 */

/** The longest head that is waited for. */
const LONGEST_HEAD = 16_384

const LENGTH = /\r\ncontent-length: *(\d+)/i
const CHUNKED = /\r\ntransfer-encoding: *chunked/i
const HEAD_END = Buffer.from('\r\n\r\n')

export class ResponseReader {
  /** Of the response that was read last. */
  status = 0
  /** The body of that response, when it is to be kept or says what went wrong. */
  body = ''
  readonly #keepsBodies: boolean
  #keepsBody = false
  #head = ''
  #isInBody = false
  /** Bytes of the body, or of the present chunk with its line end, that are still to come. */
  #left = 0
  #chunks: ChunkReader | undefined

  constructor({ keepsBody }: { readonly keepsBody: boolean }) {
    this.#keepsBodies = keepsBody
  }

  /** Takes what arrived; true when the response is complete. Throws when it is none. */
  take(bytes: Buffer): boolean {
    let from = 0
    if (!this.#isInBody) {
      from = this.#takeHead(bytes)
      if (from < 0) return false
    }
    if (this.#chunks !== undefined) {
      if (!this.#chunks.take(bytes, from)) return false
      if (this.#keepsBody) this.body = this.#chunks.text
    } else {
      if (this.#keepsBody) this.body += bytes.toString('latin1', from, bytes.length)
      this.#left -= bytes.length - from
      if (this.#left > 0) return false
      if (this.#left < 0) throw new Error('the server sent more than it announced')
    }
    this.#isInBody = false
    return true
  }

  /** Where the body begins in these bytes; -1 when the head is not complete. */
  #takeHead(bytes: Buffer): number {
    const known = this.#head.length
    const end = known === 0 ? bytes.indexOf(HEAD_END) : -1
    const head = this.#head + bytes.toString('latin1', 0, end < 0 ? bytes.length : end + 4)
    const headEnd = end < 0 ? head.indexOf('\r\n\r\n') : end
    if (headEnd < 0) {
      if (head.length > LONGEST_HEAD) throw new Error('the head of a response is too long')
      this.#head = head
      return -1
    }
    this.#head = ''
    this.#isInBody = true
    this.status = Number(head.slice(9, 12))
    this.body = ''
    this.#keepsBody = this.#keepsBodies || this.status > 299
    const length = LENGTH.exec(head)
    this.#chunks = length === null && CHUNKED.test(head) ? new ChunkReader(this.#keepsBody) : undefined
    this.#left = length === null ? 0 : Number(length[1])
    return headEnd + 4 - known
  }
}

/** A body in chunks: lines with a hexadecimal length, each followed by that many bytes, until the length is zero. */
class ChunkReader {
  text = ''
  readonly #keepsText: boolean
  #line = ''
  #left = 0
  #isLast = false

  constructor(keepsText: boolean) {
    this.#keepsText = keepsText
  }

  take(bytes: Buffer, from: number): boolean {
    let at = from
    while (at < bytes.length) {
      if (this.#left === 0) {
        const end = bytes.indexOf(0x0a, at)
        this.#line += bytes.toString('latin1', at, end < 0 ? bytes.length : end)
        if (end < 0) return false
        at = end + 1
        const size = Number.parseInt(this.#line, 16)
        if (this.#isLast) return true
        if (Number.isNaN(size)) throw new Error(`a chunk begins with ${JSON.stringify(this.#line.slice(0, 40))}`)
        this.#line = ''
        this.#isLast = size === 0
        this.#left = size === 0 ? 0 : size + 2
        continue
      }
      const taken = Math.min(this.#left, bytes.length - at)
      const text = Math.min(taken, Math.max(this.#left - 2, 0))
      if (this.#keepsText && text > 0) this.text += bytes.toString('latin1', at, at + text)
      this.#left -= taken
      at += taken
    }
    return false
  }
}
