/** Waits for the first frame of a connection, under the limits for peers that are not known yet. */
import { ChannelError } from '../channel/channel-error.ts'
import { type FrameBudget, helloLimits } from '../frame/frame-limits.ts'
import { FrameReader } from '../frame/frame-reader.ts'
import { lastingBytes } from '../frame/lasting-bytes.ts'
import { HeaderScan, scanHeaders } from '../frame/layout.ts'
import { type Message, messageAt } from '../frame/message.ts'
import type { Connection } from '../transport/connection.ts'

export interface FirstFrame {
  readonly message: Message
  /** Holds back whatever came behind the first frame; whoever goes on reading uses this reader. */
  readonly reader: FrameReader
}

export interface Patience {
  readonly timeoutMilliseconds: number
  readonly signal?: AbortSignal
}

/**
 * Leaves the connection paused. Rejects with `ProtocolError`, or with `ChannelError` when the time is over or the
 * connection ends; the caller closes the connection then.
 */
export function readFirstFrame(connection: Connection, patience: Patience, budget?: FrameBudget): Promise<FirstFrame> {
  const { promise, resolve, reject } = Promise.withResolvers<FirstFrame>()
  const reader: FrameReader = new FrameReader(
    (buffer, start, end) => {
      reader.hold()
      connection.pause()
      scanHeaders(buffer, start, new HeaderScan())
      // Copied: the hello is kept as long as its channel, and should not keep the chunk it came in.
      const frame = lastingBytes(buffer.subarray(start, end))
      resolve({ message: messageAt(frame, 0, frame.length), reader })
    },
    helloLimits,
    budget,
  )
  connection.attach({
    onData(chunk) {
      try {
        reader.push(chunk)
      } catch (error) {
        reject(error)
      }
    },
    onDrain() {},
    onClose: (cause) => reject(new ChannelError('CONNECTION_LOST', 'during the hello', { cause })),
  })
  const timer = setTimeout(() => reject(new ChannelError('HELLO_TIMEOUT')), patience.timeoutMilliseconds)
  const abort = () => reject(patience.signal?.reason)
  if (patience.signal?.aborted === true) abort()
  patience.signal?.addEventListener('abort', abort, { once: true })
  connection.resume()
  return promise.finally(() => {
    clearTimeout(timer)
    patience.signal?.removeEventListener('abort', abort)
  })
}
