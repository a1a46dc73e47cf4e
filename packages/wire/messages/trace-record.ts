/** The record of one message that passed over a channel: what it was and how long, never what was in it. */
import { channelHeader } from '../frame/channel-headers.ts'
import { bodyLengthAt, contentTypeAt, findHeader, sequenceAt, valueLengthAt } from '../frame/layout.ts'
import type { ChannelTrace } from './trace.ts'

export interface TraceRecorder {
  /** The id of whoever records. */
  readonly identity: string
  /** What is spoken over the channel, such as `ctrl`. */
  readonly protocol: string
  /** The name of a message, for people; undefined when it has none. */
  readonly nameOf: (contentType: number) => string | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A frame that has passed; its body may be elsewhere. */
export interface PassedFrame {
  readonly channel: { readonly name: string }
  readonly buffer: Buffer
  readonly start: number
  readonly isRx: boolean
}

const nanosPerMilli = 1_000_000n

/** `shown` is what may be told of the message besides its name. */
export function traceRecord(
  { identity, protocol, nameOf, now }: TraceRecorder,
  { channel, buffer, start, isRx }: PassedFrame,
  shown: Readonly<Record<string, unknown>> = {},
): ChannelTrace {
  const contentType = contentTypeAt(buffer, start)
  const replyAt = findHeader(buffer, start, channelHeader.replyFor)
  const isReply = replyAt >= 0 && valueLengthAt(buffer, replyAt) === 4
  const name = nameOf(contentType)
  const decoded = name === undefined ? '' : JSON.stringify({ __decoder__: protocol, __message__: name, ...shown })
  return {
    timestamp: BigInt(Math.round(now())) * nanosPerMilli,
    identity,
    channel: channel.name,
    isRx,
    contentType,
    sequence: sequenceAt(buffer, start),
    replyFor: isReply ? buffer.readInt32LE(replyAt) : -1,
    length: bodyLengthAt(buffer, start),
    decode: Buffer.from(decoded),
  }
}
