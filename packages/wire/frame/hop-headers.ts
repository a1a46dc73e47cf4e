/**
 * Hot: asked for every forwarded frame. Headers that belong to one hop: reply-for, the two of the heartbeat, and the
 * underlay type a receiver may have added. A frame that goes on to another channel must not take them along.
 */
import { bodyStartAt, fixedLength, headerOverhead, headersLengthOffset } from './layout.ts'

/** True for about one frame in ten seconds. */
export function hasHopHeaders(buffer: Buffer, start: number): boolean {
  const end = bodyStartAt(buffer, start)
  for (let at = start + fixedLength; at < end; at += headerOverhead + buffer.readUInt32LE(at + 4)) {
    if (isHopHeader(buffer.readInt32LE(at))) return true
  }
  return false
}

/** A copy of the frame without them. */
export function withoutHopHeaders(buffer: Buffer, start: number, end: number): Buffer {
  const bodyStart = bodyStartAt(buffer, start)
  const copy = Buffer.allocUnsafe(end - start)
  let to = buffer.copy(copy, 0, start, start + fixedLength)
  for (let at = start + fixedLength; at < bodyStart; ) {
    const next = at + headerOverhead + buffer.readUInt32LE(at + 4)
    if (!isHopHeader(buffer.readInt32LE(at))) to += buffer.copy(copy, to, at, next)
    at = next
  }
  copy.writeUInt32LE(to - fixedLength, headersLengthOffset)
  to += buffer.copy(copy, to, bodyStart, end)
  return copy.subarray(0, to)
}

function isHopHeader(key: number): boolean {
  return key === 1 || key === 5 || key === 6 || key === 12
}
