/** The record of one message on a control channel: what it was and how long, not what was in it. */
import {
  bodyLengthAt,
  type Channel,
  channelHeader,
  contentTypeAt,
  findHeader,
  sequenceAt,
  valueLengthAt,
} from '@weft/wire'
import { type ChannelTrace, controlMessages } from '@weft/wire/messages'
import type { Clock } from '../../clock.ts'

export interface RecordOptions {
  readonly controllerId: string
  readonly clock: Pick<Clock, 'now'>
}

/** A frame that has passed over a channel; its body may be elsewhere. */
export interface PassedFrame {
  readonly channel: Channel
  readonly buffer: Buffer
  readonly start: number
  readonly isRx: boolean
}

export function channelRecord(
  { controllerId, clock }: RecordOptions,
  { channel, buffer, start, isRx }: PassedFrame,
  shown: Readonly<Record<string, unknown>> = {},
): ChannelTrace {
  const contentType = contentTypeAt(buffer, start)
  const replyFor = findHeader(buffer, start, channelHeader.replyFor)
  const isReply = replyFor >= 0 && valueLengthAt(buffer, replyFor) === 4
  return {
    timestamp: BigInt(Math.round(clock.now())) * 1_000_000n,
    identity: controllerId,
    channel: channel.name,
    isRx,
    contentType,
    sequence: sequenceAt(buffer, start),
    replyFor: isReply ? buffer.readInt32LE(replyFor) : -1,
    length: bodyLengthAt(buffer, start),
    decode: decoded(contentType, shown),
  }
}

/** What the message is called, and what may be shown of it. */
function decoded(contentType: number, shown: Readonly<Record<string, unknown>>): Buffer {
  const name = controlMessages.nameOf(contentType)
  if (name === undefined) return Buffer.alloc(0)
  return Buffer.from(JSON.stringify({ __decoder__: 'ctrl', __message__: name, ...shown }))
}
