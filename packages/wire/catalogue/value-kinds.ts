/**
 * What a header or a body can hold. Each kind reads, writes and checks its length here and nowhere else: a value of
 * another length than its kind's is refused, never read as zero or as absent.
 *
 * Scalars are little-endian; capability masks are the exception. What is read may be a view of the frame.
 */
import { isUtf8 } from 'node:buffer'

/** A way to write a value as bytes. `read` and `write` throw `ValueError`. */
export interface ValueKind<T> {
  readonly kind: string
  read(bytes: Buffer): T
  write(value: T): Buffer
}

/** Why bytes are no value of their kind, or a value cannot be written. The catalogue says where it happened. */
export class ValueError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'ValueError'
  }
}

/** Of lists and maps in headers; the peers have the same limits. */
const maxEntries = 128
const maxEntryLength = 8192

const maxMaskLength = 32
const empty = Buffer.alloc(0)

/** True only for a byte of exactly 1. */
export const bool: ValueKind<boolean> = {
  kind: 'bool',
  read: (bytes) => sized(bytes, 1)[0] === 1,
  write: (value) => Buffer.from([value ? 1 : 0]),
}

/** Said by being there, whatever the value. */
export const presence: ValueKind<true> = { kind: 'presence', read: () => true, write: () => Buffer.from([1]) }

export const u8: ValueKind<number> = {
  kind: 'byte',
  read: (bytes) => sized(bytes, 1)[0]!,
  write: (value) => Buffer.from([inRange(value, 0xff)]),
}

export const u16: ValueKind<number> = {
  kind: 'uint16',
  read: (bytes) => sized(bytes, 2).readUInt16LE(),
  write: (value) => filled(2, (bytes) => bytes.writeUInt16LE(inRange(value, 0xffff))),
}

export const u32: ValueKind<number> = {
  kind: 'uint32',
  read: (bytes) => sized(bytes, 4).readUInt32LE(),
  write: (value) => filled(4, (bytes) => bytes.writeUInt32LE(inRange(value, 0xffff_ffff))),
}

export const u64: ValueKind<bigint> = {
  kind: 'uint64',
  read: (bytes) => sized(bytes, 8).readBigUInt64LE(),
  write: (value) => {
    if (BigInt.asUintN(64, value) !== value) throw new ValueError(`${value} does not fit`)
    return filled(8, (bytes) => bytes.writeBigUInt64LE(value))
  },
}

/** 64 bits on the wire, small by its nature: an index, a sequence. */
export const index: ValueKind<number> = {
  kind: 'uint64',
  read: (bytes) => {
    const value = Number(sized(bytes, 8).readBigUInt64LE())
    if (!Number.isSafeInteger(value)) throw new ValueError('larger than can be held exactly')
    return value
  },
  write: (value) => u64.write(BigInt(inRange(value, Number.MAX_SAFE_INTEGER))),
}

export const text: ValueKind<string> = { kind: 'text', read: readText, write: (value) => Buffer.from(value) }

/**
 * A reason, meant for people. Bytes that are no UTF-8 become a replacement character: a message that ends something is
 * not refused for the spelling of its reason.
 */
export const prose: ValueKind<string> = {
  kind: 'text',
  read: (value) => value.toString('utf8'),
  write: (value) => Buffer.from(value),
}

/** A view: copy it when it is small and kept for long. */
export const bytes: ValueKind<Buffer> = { kind: 'bytes', read: (value) => value, write: (value) => value }

/** Count, then length and text of each. An empty list has no bytes at all. */
export const stringList: ValueKind<readonly string[]> = {
  kind: 'list of text',
  read: (value) => {
    const entries = new EntryReader(value)
    return Array.from({ length: entries.count() }, () => readText(entries.take()))
  },
  write: (values) => {
    const parts: Buffer[] = [count(values.length)]
    for (const value of values) parts.push(...entry(Buffer.from(value)))
    return values.length === 0 ? empty : Buffer.concat(parts)
  },
}

/** Count, then key, length and value of each. */
export const u32BytesMap: ValueKind<ReadonlyMap<number, Buffer>> = {
  kind: 'map of number to bytes',
  read: (value) => {
    const entries = new EntryReader(value)
    const map = new Map<number, Buffer>()
    for (let left = entries.count(); left > 0; left--) map.set(entries.number(), entries.take())
    return map
  },
  write: (map) => {
    const parts: Buffer[] = [count(map.size)]
    for (const [key, value] of map) parts.push(u32.write(key), ...entry(value))
    return map.size === 0 ? empty : Buffer.concat(parts)
  },
}

/** Count, then length and text of key and value of each. */
export const stringMap: ValueKind<ReadonlyMap<string, string>> = {
  kind: 'map of text to text',
  read: (value) => {
    const entries = new EntryReader(value)
    const map = new Map<string, string>()
    for (let left = entries.count(); left > 0; left--) map.set(readText(entries.take()), readText(entries.take()))
    return map
  },
  write: (map) => {
    const parts: Buffer[] = [count(map.size)]
    for (const [key, value] of map) parts.push(...entry(Buffer.from(key)), ...entry(Buffer.from(value)))
    return map.size === 0 ? empty : Buffer.concat(parts)
  },
}

/** A set of capabilities: an unsigned number, its highest byte first and without leading zeros. */
export const bigEndianMask: ValueKind<bigint> = {
  kind: 'capability mask',
  read: (value) => {
    if (value.length > maxMaskLength) throw new ValueError(`${value.length} bytes, at most ${maxMaskLength} allowed`)
    return value.length === 0 ? 0n : BigInt(`0x${value.toString('hex')}`)
  },
  write: (mask) => {
    if (mask < 0n) throw new ValueError('a mask is not negative')
    const digits = mask === 0n ? '' : mask.toString(16)
    return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
  },
}

/** A byte that has names. A number without one is kept as it is, so that whoever asked can refuse it. */
export function namedByte<const Names extends Readonly<Record<string, number>>>(
  names: Names,
): ValueKind<(keyof Names & string) | number> {
  const byNumber = new Map(Object.entries(names).map(([name, number]) => [number, name as keyof Names & string]))
  return {
    kind: 'byte',
    read: (value) => {
      const number = u8.read(value)
      return byNumber.get(number) ?? number
    },
    write: (value) => u8.write(typeof value === 'number' ? value : names[value]!),
  }
}

/** Reads the entries of a list or map. Bytes after the last one are left alone, as the peers do. */
class EntryReader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  count(): number {
    const entries = this.#bytes.length === 0 ? 0 : this.number()
    if (entries > maxEntries) throw new ValueError(`${entries} entries, at most ${maxEntries} allowed`)
    return entries
  }

  number(): number {
    return this.#slice(4).readUInt32LE()
  }

  take(): Buffer {
    const length = this.number()
    if (length > maxEntryLength) throw new ValueError(`an entry of ${length} bytes, at most ${maxEntryLength} allowed`)
    return this.#slice(length)
  }

  #slice(length: number): Buffer {
    const start = this.#position
    if (length > this.#bytes.length - start) throw new ValueError('an entry runs past the end')
    this.#position = start + length
    return this.#bytes.subarray(start, start + length)
  }
}

function readText(value: Buffer): string {
  const read = value.toString('utf8')
  if (read.includes('\ufffd') && !isUtf8(value)) throw new ValueError('not UTF-8')
  return read
}

function sized(value: Buffer, length: number): Buffer {
  if (value.length !== length) throw new ValueError(`${value.length} bytes instead of ${length}`)
  return value
}

function filled(length: number, fill: (bytes: Buffer) => void): Buffer {
  const value = Buffer.alloc(length)
  fill(value)
  return value
}

function inRange(value: number, most: number): number {
  if (!Number.isInteger(value) || value < 0 || value > most) throw new ValueError(`${value} does not fit`)
  return value
}

function count(entries: number): Buffer {
  if (entries > maxEntries) throw new ValueError(`${entries} entries, at most ${maxEntries} allowed`)
  return u32.write(entries)
}

function entry(value: Buffer): [Buffer, Buffer] {
  if (value.length > maxEntryLength) {
    throw new ValueError(`an entry of ${value.length} bytes, at most ${maxEntryLength} allowed`)
  }
  return [u32.write(value.length), value]
}
