/** Messages as objects, and the frames that carry them. Where an object per frame is too much, see `layout.ts`. */
import { Headers } from './headers.ts'
import {
  bodyLengthAt,
  bodyStartAt,
  contentTypeAt,
  fixedLength,
  frameMagic,
  headersLengthAt,
  sequenceAt,
} from './layout.ts'
import { ProtocolError } from './protocol-error.ts'

/** A received message. Headers and body are views of the bytes they came in: copy what is small and kept for long. */
export interface Message {
  readonly contentType: number
  readonly sequence: number
  readonly headers: Headers
  readonly body: Buffer
}

/** A message to be sent; the channel gives it a sequence. It is read once, and may be sent over several channels. */
export interface OutgoingMessage {
  readonly contentType: number
  readonly headers?: Headers
  readonly body?: Buffer
}

/** The bytes of a message. */
export function encodeFrame(contentType: number, headers: Headers, body: Buffer, sequence: number): Buffer {
  const headersLength = headers.byteLength
  const frame = Buffer.allocUnsafe(fixedLength + headersLength + body.length)
  writeFrameHead(frame, contentType, headers, body.length, sequence, headersLength)
  body.copy(frame, fixedLength + headersLength)
  return frame
}

/** Everything of a frame but its body, for bodies that are not worth copying. */
export function encodeFrameHead(contentType: number, headers: Headers, bodyLength: number, sequence: number): Buffer {
  const headersLength = headers.byteLength
  const head = Buffer.allocUnsafe(fixedLength + headersLength)
  writeFrameHead(head, contentType, headers, bodyLength, sequence, headersLength)
  return head
}

/** Reads one whole frame; throws `ProtocolError` for anything else. */
export function decodeFrame(frame: Buffer): Message {
  if (frame.length < fixedLength) throw new ProtocolError('TRUNCATED')
  if (frame.readUInt32BE(0) !== frameMagic) throw new ProtocolError('BAD_MAGIC')
  const length = fixedLength + headersLengthAt(frame, 0) + bodyLengthAt(frame, 0)
  if (length !== frame.length) throw new ProtocolError('TRUNCATED', `${frame.length} of ${length} bytes`)
  const bodyStart = bodyStartAt(frame, 0)
  return {
    contentType: contentTypeAt(frame, 0),
    sequence: sequenceAt(frame, 0),
    headers: Headers.parse(frame.subarray(fixedLength, bodyStart)),
    body: frame.subarray(bodyStart),
  }
}

/** The message in a frame whose headers `scanHeaders` has checked. */
export function messageAt(buffer: Buffer, start: number, end: number): Message {
  const bodyStart = bodyStartAt(buffer, start)
  return {
    contentType: contentTypeAt(buffer, start),
    sequence: sequenceAt(buffer, start),
    headers: Headers.ofChecked(buffer.subarray(start + fixedLength, bodyStart)),
    body: buffer.subarray(bodyStart, end),
  }
}

function writeFrameHead(
  target: Buffer,
  contentType: number,
  headers: Headers,
  bodyLength: number,
  sequence: number,
  headersLength: number,
): void {
  target.writeUInt32BE(frameMagic, 0)
  target.writeInt32LE(contentType, 4)
  target.writeInt32LE(sequence, 8)
  target.writeUInt32LE(headersLength, 12)
  target.writeUInt32LE(bodyLength, 16)
  headers.writeTo(target, fixedLength)
}
