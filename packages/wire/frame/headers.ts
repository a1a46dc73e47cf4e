/**
 * The headers of a message: byte strings under numbers, in the order of the wire.
 *
 * Received headers stay the block they came in until somebody changes or lists them: a look-up scans the block, which for
 * a handful of headers is cheaper than a map. Values are views, not copies.
 */
import { headerOverhead, maxHeaderCount } from './layout.ts'
import { ProtocolError } from './protocol-error.ts'

const yes = Buffer.from([1])
const no = Buffer.from([0])
const empty = Buffer.alloc(0)

/** Numbers to values. A number occurs once; of duplicates on the wire the last counts. */
export class Headers implements Iterable<readonly [number, Buffer]> {
  #block: Buffer = empty
  /** Once made, it counts and the block does not. */
  #values: Map<number, Buffer> | undefined = undefined

  constructor(entries?: Iterable<readonly [number, Buffer]>) {
    if (entries !== undefined) this.#values = new Map(entries)
  }

  /** Reads a headers block, which must not change afterwards. Throws `ProtocolError` when it is malformed. */
  static parse(block: Buffer): Headers {
    checkBlock(block)
    return Headers.ofChecked(block)
  }

  /** A block that `scanHeaders` or `parse` has already found to be well-formed. */
  static ofChecked(block: Buffer): Headers {
    const headers = new Headers()
    headers.#block = block
    return headers
  }

  get(key: number): Buffer | undefined {
    if (this.#values !== undefined) return this.#values.get(key)
    const block = this.#block
    let found: Buffer | undefined
    for (let at = 0; at < block.length; ) {
      const length = block.readUInt32LE(at + 4)
      const start = at + headerOverhead
      if (block.readInt32LE(at) === key) found = block.subarray(start, start + length)
      at = start + length
    }
    return found
  }

  has(key: number): boolean {
    return this.get(key) !== undefined
  }

  /** UTF-8 text. */
  text(key: number): string | undefined {
    return this.get(key)?.toString('utf8')
  }

  /** True only for a first byte of exactly 1; absent is false. */
  flag(key: number): boolean {
    return this.get(key)?.[0] === 1
  }

  /** A value of another length than four counts as absent, as with the Go peer. */
  uint32(key: number): number | undefined {
    const value = this.get(key)
    return value?.length === 4 ? value.readUInt32LE(0) : undefined
  }

  int32(key: number): number | undefined {
    const value = this.get(key)
    return value?.length === 4 ? value.readInt32LE(0) : undefined
  }

  /** A string is written as UTF-8, a boolean as one byte. */
  set(key: number, value: Buffer | string | boolean): this {
    const bytes =
      typeof value === 'string' ? Buffer.from(value) : typeof value === 'boolean' ? (value ? yes : no) : value
    this.#map().set(key, bytes)
    return this
  }

  setInt32(key: number, value: number): this {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(value)
    return this.set(key, bytes)
  }

  setUint32(key: number, value: number): this {
    return this.setInt32(key, value | 0)
  }

  delete(key: number): boolean {
    return this.#map().delete(key)
  }

  get size(): number {
    return this.#map().size
  }

  [Symbol.iterator](): Iterator<readonly [number, Buffer]> {
    return this.#map().entries()
  }

  /** A copy that can be changed; the values are shared. */
  clone(): Headers {
    return new Headers(this)
  }

  /** The length of the block in bytes. */
  get byteLength(): number {
    if (this.#values === undefined) return this.#block.length
    let length = 0
    for (const value of this.#values.values()) length += headerOverhead + value.length
    return length
  }

  /** The block as it goes over the wire. */
  encode(): Buffer {
    const block = Buffer.allocUnsafe(this.byteLength)
    this.writeTo(block, 0)
    return block
  }

  /** Writes the block into a buffer that has room for it; gives back where it ends. */
  writeTo(target: Buffer, offset: number): number {
    if (this.#values === undefined) return offset + this.#block.copy(target, offset)
    let at = offset
    for (const [key, value] of this.#values) {
      at = target.writeInt32LE(key, at)
      at = target.writeUInt32LE(value.length, at)
      at += value.copy(target, at)
    }
    return at
  }

  #map(): Map<number, Buffer> {
    if (this.#values !== undefined) return this.#values
    const block = this.#block
    const values = new Map<number, Buffer>()
    for (let at = 0; at < block.length; ) {
      const length = block.readUInt32LE(at + 4)
      const start = at + headerOverhead
      values.set(block.readInt32LE(at), block.subarray(start, start + length))
      at = start + length
    }
    this.#values = values
    this.#block = empty
    return values
  }
}

function checkBlock(block: Buffer): void {
  let count = 0
  for (let at = 0; at < block.length; count++) {
    if (block.length - at < headerOverhead) throw new ProtocolError('BAD_HEADERS')
    if (count === maxHeaderCount) throw new ProtocolError('TOO_MANY_HEADERS')
    const length = block.readUInt32LE(at + 4)
    if (length > block.length - at - headerOverhead) throw new ProtocolError('BAD_HEADERS')
    at += headerOverhead + length
  }
}
