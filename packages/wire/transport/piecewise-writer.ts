/**
 * Writes to a stream a little at a time. TLS keeps memory for as much as it was ever given at once until its connection
 * ends: a connection that lives for months and was sent one large message in its first second would keep all of it.
 */
import type { Writable } from 'node:stream'

export class PiecewiseWriter {
  readonly #stream: Writable
  readonly #pieceSize: number
  readonly #onDrain: () => void
  #waiting: Buffer[] = []
  #isWriting = false
  /** Somebody was told to wait. */
  #isAwaited = false
  #atEnd: (() => void) | undefined = undefined

  constructor(stream: Writable, pieceSize: number, onDrain: () => void) {
    this.#stream = stream
    this.#pieceSize = pieceSize
    this.#onDrain = onDrain
  }

  /** False means to wait for the drain. */
  write(bytes: Buffer): boolean {
    this.#waiting.push(bytes)
    if (!this.#isWriting) this.#next()
    this.#isAwaited = this.#waiting.length > 0
    return !this.#isAwaited
  }

  /** Calls back when everything is handed over. */
  end(callback: () => void): void {
    if (this.#isWriting) this.#atEnd = callback
    else callback()
  }

  #next(): void {
    const piece = this.#take()
    this.#isWriting = piece !== undefined
    if (piece !== undefined) this.#stream.write(piece, this.#written)
    else if (this.#atEnd !== undefined) this.#atEnd()
    else if (this.#isAwaited) {
      this.#isAwaited = false
      this.#onDrain()
    }
  }

  readonly #written = (error?: Error | null): void => {
    // The stream tells of its failure itself.
    if (error) this.#waiting = []
    else this.#next()
  }

  #take(): Buffer | undefined {
    const first = this.#waiting[0]
    if (first === undefined || first.length <= this.#pieceSize) return this.#waiting.shift()
    this.#waiting[0] = first.subarray(this.#pieceSize)
    return first.subarray(0, this.#pieceSize)
  }
}
