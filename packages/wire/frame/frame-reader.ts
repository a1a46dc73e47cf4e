/**
 * Hot: every received byte passes here. Cuts a stream of chunks into frames.
 *
 * A frame that lies within its chunk is handed out in place. A split one is copied once, into memory of exactly its
 * size; a large split one is gathered in blocks as it arrives, so that a peer reserves hardly more than it has sent.
 *
 * The buffers handed out are not used again by the reader: whoever gets them may keep and change them.
 */

import type { FrameBudget, FrameLimits } from './frame-limits.ts'
import { bodyLengthOffset, fixedLength, frameMagic, headersLengthOffset } from './layout.ts'
import { ProtocolError } from './protocol-error.ts'

/** Takes a whole frame: its bytes are `buffer[start..end)`. */
export type FrameSink = (buffer: Buffer, start: number, end: number) => void

/** Split frames up to this size get their memory at once. */
const gatheringSize = 256 * 1024

/** Larger ones get it in blocks of this size, as they arrive. */
const blockSize = 64 * 1024

/** After a `ProtocolError` the reader is of no further use; `dispose` it. */
export class FrameReader implements Disposable {
  #sink: FrameSink
  #limits: FrameLimits
  readonly #budget: FrameBudget | undefined
  /** The fixed part of a frame, while it is incomplete. */
  readonly #fixed = Buffer.alloc(fixedLength)
  #fixedFilled = 0
  #frame: Buffer | undefined = undefined
  #frameFilled = 0
  /** What has arrived of a large frame. */
  #blocks: Buffer[] = []
  #gathered = 0
  /** The size of that frame; zero when there is none. */
  #wanted = 0
  #isHeld = false
  #held: Buffer[] = []
  #isPushing = false

  constructor(sink: FrameSink, limits: FrameLimits, budget?: FrameBudget) {
    this.#sink = sink
    this.#limits = limits
    this.#budget = budget
  }

  /** Bytes of frames that are not complete, or not handed out yet. */
  get pending(): number {
    let bytes = this.#fixedFilled + this.#frameFilled + this.#gathered
    for (const chunk of this.#held) bytes += chunk.length
    return bytes
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** From here on nothing is handed out, also not what is left of the present chunk. May be called by the sink. */
  hold(): void {
    this.#isHeld = true
  }

  /** Goes on with what was kept back. May be called by the sink: then the chunk at hand goes first. */
  release(): void {
    this.#isHeld = false
    if (this.#isPushing) return
    while (this.#held.length > 0 && !this.#isHeld) this.#push(this.#held.shift()!, true)
  }

  /** For the step from the hello to the messages, while the reader is held. */
  become(sink: FrameSink, limits: FrameLimits): void {
    this.#sink = sink
    this.#limits = limits
  }

  [Symbol.dispose](): void {
    this.#dropBlocks()
    this.#frame = undefined
    this.#frameFilled = 0
    this.#fixedFilled = 0
    this.#held = []
  }

  /** Hands out the frames that this chunk completes. Throws `ProtocolError`, or what the sink throws. */
  push(chunk: Buffer): void {
    this.#push(chunk, false)
  }

  #push(chunk: Buffer, isFirstOfHeld: boolean): void {
    this.#isPushing = true
    try {
      this.#cut(chunk, isFirstOfHeld)
    } finally {
      this.#isPushing = false
    }
  }

  #cut(chunk: Buffer, isFirstOfHeld: boolean): void {
    const length = chunk.length
    let at = 0
    while (at < length) {
      if (this.#isHeld) {
        const rest = at === 0 ? chunk : chunk.subarray(at)
        if (isFirstOfHeld) this.#held.unshift(rest)
        else this.#held.push(rest)
        return
      }
      if (this.#wanted > 0) {
        at = this.#gather(chunk, at)
      } else if (this.#frame !== undefined) {
        at = this.#fill(this.#frame, chunk, at)
      } else if (this.#fixedFilled > 0 || length - at < fixedLength) {
        at = this.#collectFixed(chunk, at)
      } else {
        const size = this.#sizeAt(chunk, at)
        if (length - at < size) {
          at = this.#begin(size, chunk, at)
        } else {
          at += size
          this.#sink(chunk, at - size, at)
        }
      }
    }
  }

  #collectFixed(chunk: Buffer, from: number): number {
    const taken = Math.min(fixedLength - this.#fixedFilled, chunk.length - from)
    chunk.copy(this.#fixed, this.#fixedFilled, from, from + taken)
    this.#fixedFilled += taken
    // Known after four bytes: a peer of another version sends less than a whole fixed part.
    if (this.#fixedFilled >= 4) checkMagic(this.#fixed, 0)
    if (this.#fixedFilled === fixedLength) {
      this.#fixedFilled = 0
      const size = this.#sizeAt(this.#fixed, 0)
      this.#begin(size, this.#fixed, 0)
    }
    return from + taken
  }

  /** Starts a frame of which the chunk holds no more than a part, or just all. */
  #begin(size: number, chunk: Buffer, from: number): number {
    if (size > gatheringSize) {
      this.#wanted = size
      return this.#gather(chunk, from)
    }
    this.#frame = Buffer.allocUnsafeSlow(size)
    this.#frameFilled = 0
    return this.#fill(this.#frame, chunk, from)
  }

  #fill(frame: Buffer, chunk: Buffer, from: number): number {
    const taken = Math.min(frame.length - this.#frameFilled, chunk.length - from)
    chunk.copy(frame, this.#frameFilled, from, from + taken)
    this.#frameFilled += taken
    if (this.#frameFilled === frame.length) {
      this.#frame = undefined
      this.#frameFilled = 0
      this.#sink(frame, 0, frame.length)
    }
    return from + taken
  }

  #gather(chunk: Buffer, from: number): number {
    const filled = this.#gathered % blockSize
    if (filled === 0) {
      if (this.#budget?.take(blockSize) === false) throw new ProtocolError('NO_MEMORY')
      this.#blocks.push(Buffer.allocUnsafeSlow(blockSize))
    }
    const taken = Math.min(this.#wanted - this.#gathered, chunk.length - from, blockSize - filled)
    chunk.copy(this.#blocks.at(-1)!, filled, from, from + taken)
    this.#gathered += taken
    if (this.#gathered === this.#wanted) {
      const frame = Buffer.concat(this.#blocks, this.#wanted)
      this.#dropBlocks()
      this.#sink(frame, 0, frame.length)
    }
    return from + taken
  }

  #dropBlocks(): void {
    this.#budget?.giveBack(this.#blocks.length * blockSize)
    this.#blocks = []
    this.#gathered = 0
    this.#wanted = 0
  }

  /** Each part is checked before they are added; together they stay far below what a double holds exactly. */
  #sizeAt(buffer: Buffer, at: number): number {
    checkMagic(buffer, at)
    const headers = buffer.readUInt32LE(at + headersLengthOffset)
    const body = buffer.readUInt32LE(at + bodyLengthOffset)
    if (headers > this.#limits.headers) throw tooLarge('HEADERS_TOO_LARGE', headers, this.#limits.headers)
    if (body > this.#limits.body) throw tooLarge('BODY_TOO_LARGE', body, this.#limits.body)
    return fixedLength + headers + body
  }
}

function checkMagic(buffer: Buffer, at: number): void {
  if (buffer.readUInt32BE(at) !== frameMagic) {
    throw new ProtocolError('BAD_MAGIC', buffer.toString('hex', at, at + 4))
  }
}

function tooLarge(code: 'HEADERS_TOO_LARGE' | 'BODY_TOO_LARGE', announced: number, limit: number): ProtocolError {
  return new ProtocolError(code, `${announced} of at most ${limit} bytes`)
}
