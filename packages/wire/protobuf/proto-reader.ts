/**
 * Reads the elements of protobuf's encoding from one buffer.
 *
 * Every length is checked against the end of the message that holds it before anything is made of it, and every list
 * element, map entry and nested message is charged to one budget: two bytes on the wire can become an object of a
 * hundred, so the size of the frame alone is no bound.
 */
import { isUtf8 } from 'node:buffer'
import { ProtobufError } from './protobuf-error.ts'

/** How a field's value is laid out: the low three bits of its tag. */
export const wireType = { varint: 0, fixed64: 1, delimited: 2, fixed32: 5 } as const

/** The deepest known message has five levels. */
const maxDepth = 32

/** The tag of a map entry's key that is a text. */
const KEY_TEXT = 10

const maxSafeHigh = 0x1f_ffff

export class ProtoReader {
  readonly bytes: Buffer
  position = 0
  /** Where the message ends that is being read. */
  end: number
  #itemsLeft: number
  #depth = 0
  /** The upper half of the number that `varint` read last. */
  #high = 0

  constructor(bytes: Buffer, maxItems: number) {
    this.bytes = bytes
    this.end = bytes.length
    this.#itemsLeft = maxItems
  }

  /** The number of a field times eight, plus its wire type. */
  tag(): number {
    const tag = this.varint()
    if (this.#high !== 0 || tag < 8) throw new ProtobufError('BAD_TAG')
    return tag
  }

  /** Reads up to 64 bits and gives the lower 32, unsigned. */
  varint(): number {
    const { bytes } = this
    let at = this.position
    if (at < this.end && bytes[at]! < 0x80) {
      this.position = at + 1
      this.#high = 0
      return bytes[at]!
    }
    let low = 0
    let high = 0
    for (let shift = 0; shift < 70; shift += 7) {
      if (at >= this.end) throw new ProtobufError('TRUNCATED')
      const byte = bytes[at++]!
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >>> 4
      } else if (shift < 63) high |= bits << (shift - 32)
      else if (bits > 1) throw new ProtobufError('BAD_VARINT')
      else high |= bits << 31
      if (byte < 0x80) {
        this.position = at
        this.#high = high >>> 0
        return low >>> 0
      }
    }
    throw new ProtobufError('BAD_VARINT')
  }

  /** Any bit makes it true. */
  flag(): boolean {
    return this.varint() !== 0 || this.#high !== 0
  }

  unsigned64(): bigint {
    const low = this.varint()
    return (BigInt(this.#high) << 32n) | BigInt(low)
  }

  signed64(): bigint {
    return BigInt.asIntN(64, this.unsigned64())
  }

  /** An unsigned 64-bit number that is small by its nature. */
  unsignedSafe(): number {
    const low = this.varint()
    if (this.#high > maxSafeHigh) throw new ProtobufError('TOO_LARGE')
    return this.#high * 0x1_0000_0000 + low
  }

  /** A signed 64-bit number that is small by its nature. */
  signedSafe(): number {
    const low = this.varint()
    const value = (this.#high | 0) * 0x1_0000_0000 + low
    if (!Number.isSafeInteger(value)) throw new ProtobufError('TOO_LARGE')
    return value
  }

  double(): number {
    const at = this.#take(8)
    return this.bytes.readDoubleLE(at)
  }

  text(): string {
    const length = this.#length()
    const start = this.#take(length)
    const text = this.bytes.toString('utf8', start, start + length)
    // The replacement character stands in the bytes, or it stands for bytes that are no UTF-8.
    if (text.includes('\ufffd') && !isUtf8(this.bytes.subarray(start, start + length))) {
      throw new ProtobufError('BAD_TEXT')
    }
    return text
  }

  /** Passes over a text or bytes; gives back where they begin. They end at the position after it. */
  pass(): number {
    return this.#take(this.#length())
  }

  /** A copy, so that a small value does not keep a large frame in memory. */
  blob(): Buffer {
    const length = this.#length()
    const start = this.#take(length)
    return Buffer.from(this.bytes.subarray(start, start + length))
  }

  /** Narrows the reader to the nested message that starts here; gives back what `leave` needs. */
  enter(): number {
    const length = this.#length()
    if (++this.#depth > maxDepth) throw new ProtobufError('TOO_DEEP')
    const outerEnd = this.end
    this.end = this.position + length
    return outerEnd
  }

  leave(outerEnd: number): void {
    this.#depth--
    this.end = outerEnd
  }

  /** Whether the key of the map entry that starts here begins so. Every known writer puts the key first. */
  entryBegins(prefix: Buffer): boolean {
    const start = this.position
    const outerEnd = this.enter()
    const isKey = this.position < this.end && this.tag() === KEY_TEXT
    const begins = isKey && this.#length() >= prefix.length && standsAt(this.bytes, this.position, prefix)
    this.leave(outerEnd)
    this.position = start
    return begins
  }

  /** Called before an element, entry or nested message is made. */
  chargeItem(): void {
    if (--this.#itemsLeft < 0) throw new ProtobufError('TOO_MANY')
  }

  skip(type: number): void {
    if (type === wireType.varint) this.varint()
    else if (type === wireType.fixed64) this.#take(8)
    else if (type === wireType.delimited) this.#take(this.#length())
    else if (type === wireType.fixed32) this.#take(4)
    else throw new ProtobufError('BAD_TAG')
  }

  #length(): number {
    const length = this.varint()
    if (this.#high !== 0 || length > this.end - this.position) throw new ProtobufError('TRUNCATED')
    return length
  }

  #take(length: number): number {
    const at = this.position
    if (length > this.end - at) throw new ProtobufError('TRUNCATED')
    this.position = at + length
    return at
  }
}

/** Whether these bytes stand there. */
export function standsAt(bytes: Buffer, position: number, expected: Buffer): boolean {
  for (let at = 0; at < expected.length; at++) if (bytes[position + at] !== expected[at]) return false
  return true
}
