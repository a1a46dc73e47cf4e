/**
 * Bytes that are kept for long. Small buffers share their memory with others that were made at about the same time, and one
 * that is kept keeps all of it: a log of ten thousand small messages would hold hundreds of megabytes.
 */
import { Headers } from './headers.ts'
import type { OutgoingMessage } from './message.ts'

/** The same bytes in memory of their own. */
export function lastingBytes(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

/** The same message in memory of its own. */
export function lastingMessage({ contentType, headers, body }: OutgoingMessage): OutgoingMessage {
  const own = new Headers()
  for (const [key, value] of headers ?? []) own.set(key, lastingBytes(value))
  return { contentType, headers: own, ...(body && { body: lastingBytes(body) }) }
}
