/**
 * The subset of DER that certificates and certificate bundles are made of: definite lengths, one-octet tags.
 *
 *     tag (1) | length (1, or 0x81..0x84 and 1..4 octets) | content
 *
 * The reader hands out views of the input and refuses whatever points beyond it.
 */
import { PkiError } from './pki-error.ts'

/** Universal tags. */
export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const

/** Tag of the context-specific element `[n]`. */
export function contextTag(number: number, form: 'primitive' | 'constructed'): number {
  return (form === 'constructed' ? 0xa0 : 0x80) | number
}

/** A view of one element; its bytes belong to the input. */
export interface DerElement {
  readonly tag: number
  readonly content: Buffer
  /** Header and content. */
  readonly bytes: Buffer
}

/** The element at `offset`; `bytes` says where the next one starts. */
export function readElement(input: Buffer, offset = 0): DerElement {
  if (offset + 2 > input.length) throw new PkiError('BAD_DER', 'the bytes end inside an element')
  const tag = input[offset]!
  if ((tag & 0x1f) === 0x1f) throw new PkiError('BAD_DER', 'a tag of more than one octet')
  let length = input[offset + 1]!
  let start = offset + 2
  if (length === 0x80 || length > 0x84) throw new PkiError('BAD_DER', 'a length that DER does not allow')
  if (length > 0x80) {
    const octets = length & 0x7f
    if (start + octets > input.length) throw new PkiError('BAD_DER', 'the bytes end inside a length')
    length = input.readUIntBE(start, octets)
    start += octets
  }
  if (start + length > input.length) throw new PkiError('BAD_DER', 'an element is longer than what holds it')
  return { tag, content: input.subarray(start, start + length), bytes: input.subarray(offset, start + length) }
}

/** The elements that fill `content`, at most `limit` of them. */
export function readElements(content: Buffer, limit = 64): DerElement[] {
  const elements: DerElement[] = []
  let offset = 0
  while (offset < content.length) {
    if (elements.length === limit) throw new PkiError('BAD_DER', `more than ${limit} elements`)
    const element = readElement(content, offset)
    elements.push(element)
    offset += element.bytes.length
  }
  return elements
}

/** The content of an element that must have the given tag. */
export function expectTag(element: DerElement | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new PkiError('BAD_DER', `expected tag 0x${tag.toString(16)}`)
  return element.content
}

/** An object identifier's content as dotted text. */
export function readObjectIdentifier(content: Buffer): string {
  const arcs: number[] = []
  let value = 0
  for (const octet of content) {
    if (value > 0xff_ffff) throw new PkiError('BAD_DER', 'an object identifier with an arc beyond 32 bits')
    value = value * 128 + (octet & 0x7f)
    if (octet & 0x80) continue
    if (arcs.length === 0) {
      const first = Math.min(Math.floor(value / 40), 2)
      arcs.push(first, value - first * 40)
    } else arcs.push(value)
    value = 0
  }
  if (arcs.length === 0 || content[content.length - 1]! & 0x80)
    throw new PkiError('BAD_DER', 'an object identifier ends early')
  return arcs.join('.')
}

/** An element with the given tag around the given parts. */
export function element(tag: number, ...parts: Uint8Array[]): Buffer {
  let length = 0
  for (const part of parts) length += part.length
  return Buffer.concat([header(tag, length), ...parts])
}

/** SEQUENCE of parts that are already encoded. */
export function sequence(...parts: Uint8Array[]): Buffer {
  return element(derTag.sequence, ...parts)
}

/** SET of parts that are already encoded. */
export function set(...parts: Uint8Array[]): Buffer {
  return element(derTag.set, ...parts)
}

/** A non-negative integer from its big-endian octets. */
export function integer(magnitude: Uint8Array): Buffer {
  let from = 0
  while (from < magnitude.length - 1 && magnitude[from] === 0) from++
  const trimmed = magnitude.subarray(from)
  return (trimmed[0] ?? 0) & 0x80
    ? element(derTag.integer, Buffer.of(0), trimmed)
    : element(derTag.integer, trimmed.length === 0 ? Buffer.of(0) : trimmed)
}

/** BIT STRING; `unusedBits` counts from the end of the last octet. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return element(derTag.bitString, Buffer.of(unusedBits), bytes)
}

/** OCTET STRING. */
export function octetString(bytes: Uint8Array): Buffer {
  return element(derTag.octetString, bytes)
}

/** OBJECT IDENTIFIER from dotted text. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const octets: number[] = []
  for (const arc of [first * 40 + second, ...rest]) {
    const groups = [arc & 0x7f]
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) groups.unshift((left & 0x7f) | 0x80)
    octets.push(...groups)
  }
  return element(derTag.objectIdentifier, Buffer.from(octets))
}

/** A point in time to the second, in the form RFC 5280 prescribes: two-digit years until 2049, four digits after. */
export function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '')
  return Number(digits.slice(0, 4)) < 2050
    ? element(derTag.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : element(derTag.generalizedTime, Buffer.from(digits, 'latin1'))
}

function header(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.of(tag, length)
  if (length < 0x100) return Buffer.of(tag, 0x81, length)
  if (length < 0x1_0000) return Buffer.of(tag, 0x82, length >> 8, length & 0xff)
  const long = Buffer.of(tag, 0x84, 0, 0, 0, 0)
  long.writeUInt32BE(length, 2)
  return long
}
