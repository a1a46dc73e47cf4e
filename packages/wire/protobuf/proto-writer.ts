/** Writes the elements of protobuf's encoding into one growing buffer. */

const initialSize = 256

export class ProtoWriter {
  #bytes = Buffer.allocUnsafe(initialSize)
  #position = 0

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#position)
  }

  /** An unsigned number of at most 32 bits. */
  varint(value: number): void {
    this.#reserve(5)
    let rest = value
    while (rest > 0x7f) {
      this.#bytes[this.#position++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#bytes[this.#position++] = rest
  }

  /** A signed number of 32 bits: a negative one is written with 64, as all signed varints are. */
  signed32(value: number): void {
    if (value >= 0) this.varint(value)
    else this.varint64(0xffff_ffff, value >>> 0)
  }

  varint64(high: number, low: number): void {
    this.#reserve(10)
    let upper = high
    let lower = low
    while (upper !== 0 || lower > 0x7f) {
      this.#bytes[this.#position++] = (lower & 0x7f) | 0x80
      lower = ((lower >>> 7) | (upper << 25)) >>> 0
      upper >>>= 7
    }
    this.#bytes[this.#position++] = lower
  }

  /** Any integer of 64 bits, signed or not. */
  bigint(value: bigint): void {
    const bits = BigInt.asUintN(64, value)
    this.varint64(Number(bits >> 32n), Number(bits & 0xffff_ffffn))
  }

  /** Any safe integer, as one of 64 bits. */
  safe(value: number): void {
    this.varint64(Math.floor(value / 0x1_0000_0000) >>> 0, value >>> 0)
  }

  double(value: number): void {
    this.#reserve(8)
    this.#position = this.#bytes.writeDoubleLE(value, this.#position)
  }

  text(value: string): void {
    const length = Buffer.byteLength(value)
    this.varint(length)
    this.#reserve(length)
    this.#position += this.#bytes.write(value, this.#position)
  }

  blob(value: Uint8Array): void {
    this.varint(value.length)
    this.#reserve(value.length)
    this.#bytes.set(value, this.#position)
    this.#position += value.length
  }

  /** Starts something whose length stands before it and is known only at its end; gives back what `close` needs. */
  open(): number {
    this.#reserve(1)
    return this.#position++
  }

  /** Writes the length, moving the content when one byte is not enough for it. */
  close(lengthAt: number): void {
    const start = lengthAt + 1
    const length = this.#position - start
    const extra = (length > 0x7f ? 1 : 0) + (length > 0x3fff ? 1 : 0) + (length > 0x1f_ffff ? 1 : 0)
    const more = extra + (length > 0xfff_ffff ? 1 : 0)
    if (more > 0) {
      this.#reserve(more)
      this.#bytes.copyWithin(start + more, start, this.#position)
    }
    this.#position = lengthAt
    this.varint(length)
    this.#position += length
  }

  #reserve(length: number): void {
    const needed = this.#position + length
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#position)
    this.#bytes = larger
  }
}
