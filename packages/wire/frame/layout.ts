/**
 * Hot: runs for every frame. The layout of a V2 frame, and reads of its parts in place. Integers are little-endian.
 *
 *   0   magic 03 06 09 0c
 *   4   content type    int32
 *   8   sequence        int32
 *   12  headers length  uint32
 *   16  body length     uint32
 *   20  headers: key int32, length uint32, value; back to back, in any order
 *   ..  body
 *
 * Functions take the buffer and where the frame starts. They trust the lengths: a `FrameReader` has checked that the
 * frame is whole, and `scanHeaders` that no header runs past its block.
 */
import { ProtocolError } from './protocol-error.ts'

/** The first four bytes of a frame, read big-endian. */
export const frameMagic = 0x0306090c

/** The size of what precedes the headers. */
export const fixedLength = 20

/** The size of a header's key and length. */
export const headerOverhead = 8

/** More headers than this are refused; the largest known message has about thirty. */
export const maxHeaderCount = 256

export const contentTypeOffset = 4
export const sequenceOffset = 8
export const headersLengthOffset = 12
export const bodyLengthOffset = 16

export function contentTypeAt(buffer: Buffer, start: number): number {
  return buffer.readInt32LE(start + contentTypeOffset)
}

export function sequenceAt(buffer: Buffer, start: number): number {
  return buffer.readInt32LE(start + sequenceOffset)
}

export function headersLengthAt(buffer: Buffer, start: number): number {
  return buffer.readUInt32LE(start + headersLengthOffset)
}

export function bodyLengthAt(buffer: Buffer, start: number): number {
  return buffer.readUInt32LE(start + bodyLengthOffset)
}

/** Where the body starts; it ends with the frame. */
export function bodyStartAt(buffer: Buffer, start: number): number {
  return start + fixedLength + headersLengthAt(buffer, start)
}

/** Renumbers a frame where it stands. */
export function writeSequence(buffer: Buffer, start: number, sequence: number): void {
  buffer.writeInt32LE(sequence, start + sequenceOffset)
}

/** Gives a frame another content type where it stands. */
export function writeContentType(buffer: Buffer, start: number, contentType: number): void {
  buffer.writeInt32LE(contentType, start + contentTypeOffset)
}

/**
 * Where the value of a header starts, or -1. Its length stands four bytes before (`valueLengthAt`). Of a key that
 * comes twice the last counts, as with the Go peer.
 */
export function findHeader(buffer: Buffer, start: number, key: number): number {
  const end = bodyStartAt(buffer, start)
  let found = -1
  for (let at = start + fixedLength; at < end; ) {
    if (buffer.readInt32LE(at) === key) found = at + headerOverhead
    at += headerOverhead + buffer.readUInt32LE(at + 4)
  }
  return found
}

/** The length of the value that starts here. */
export function valueLengthAt(buffer: Buffer, valueStart: number): number {
  return buffer.readUInt32LE(valueStart - 4)
}

/** The headers that matter to the channel itself, found in one pass: where their values start, or -1. */
export class HeaderScan {
  replyFor = -1
  heartbeat = -1
  heartbeatResponse = -1
}

/** Checks the headers of a whole frame once and for all; throws `ProtocolError`. Fills `scan`, which is reused. */
export function scanHeaders(buffer: Buffer, start: number, scan: HeaderScan): void {
  scan.replyFor = -1
  scan.heartbeat = -1
  scan.heartbeatResponse = -1
  const end = bodyStartAt(buffer, start)
  let count = 0
  for (let at = start + fixedLength; at < end; count++) {
    if (end - at < headerOverhead) throw new ProtocolError('BAD_HEADERS')
    if (count === maxHeaderCount) throw new ProtocolError('TOO_MANY_HEADERS')
    const length = buffer.readUInt32LE(at + 4)
    if (length > end - at - headerOverhead) throw new ProtocolError('BAD_HEADERS')
    const key = buffer.readInt32LE(at)
    if (key === 1) scan.replyFor = at + headerOverhead
    else if (key === 5) scan.heartbeat = at + headerOverhead
    else if (key === 6) scan.heartbeatResponse = at + headerOverhead
    at += headerOverhead + length
  }
}
