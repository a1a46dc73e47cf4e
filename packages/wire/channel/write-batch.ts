/**
 * Hot: every sent frame passes here. Puts the frames of one turn together into as few writes as is worth it: small parts
 * are copied into one buffer, large ones are written where they are. Nothing is allocated per frame.
 */

/** Parts from this size on are not copied. */
const largePart = 32 * 1024
/** Up to this size everything is copied: one write is cheaper than several. */
const copiedTotal = 96 * 1024

export class WriteBatch {
  /** Bytes gathered so far. */
  size = 0
  readonly #buffers: Buffer[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  add(buffer: Buffer, start: number, end: number): void {
    this.#buffers.push(buffer)
    this.#starts.push(start)
    this.#ends.push(end)
    this.size += end - start
  }

  /** Writes what was gathered and begins anew. `isWhole` forces a single write. */
  writeTo(write: (bytes: Buffer) => void, isWhole: boolean): void {
    const count = this.#buffers.length
    if (isWhole || this.size <= copiedTotal) this.#writeRun(0, count, write)
    else {
      let from = 0
      for (let at = 0; at < count; at++) {
        if (this.#ends[at]! - this.#starts[at]! < largePart) continue
        this.#writeRun(from, at, write)
        this.#writeRun(at, at + 1, write)
        from = at + 1
      }
      this.#writeRun(from, count, write)
    }
    this.#buffers.length = 0
    this.#starts.length = 0
    this.#ends.length = 0
    this.size = 0
  }

  #writeRun(from: number, to: number, write: (bytes: Buffer) => void): void {
    if (from === to) return
    if (to - from === 1) {
      const buffer = this.#buffers[from]!
      const start = this.#starts[from]!
      const end = this.#ends[from]!
      write(start === 0 && end === buffer.length ? buffer : buffer.subarray(start, end))
      return
    }
    let length = 0
    for (let at = from; at < to; at++) length += this.#ends[at]! - this.#starts[at]!
    const run = Buffer.allocUnsafe(length)
    let filled = 0
    for (let at = from; at < to; at++)
      filled += this.#buffers[at]!.copy(run, filled, this.#starts[at]!, this.#ends[at]!)
    write(run)
  }
}
