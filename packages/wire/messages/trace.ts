/** Traces of what goes over a channel: the records, and the request that turns them on. */

import type { MessageOf } from '../protobuf/message-type.ts'
import { defineMessage } from '../protobuf/message-type.ts'
import { bool, bytes, enumeration, int32, int64, text } from '../protobuf/scalars.ts'

/** One message that went over a channel. `timestamp` is in nanoseconds, `decode` is JSON. */
export const channelTrace = defineMessage('ChannelMessage', {
  timestamp: [1, int64],
  identity: [2, text],
  channel: [3, text],
  isRx: [4, bool],
  contentType: [5, int32],
  sequence: [6, int32],
  replyFor: [7, int32],
  length: [8, int32],
  decode: [9, bytes],
})

/** A channel that came or went; only in trace files. */
export const channelStateTrace = defineMessage('ChannelState', {
  timestamp: [1, int64],
  identity: [2, text],
  channel: [3, text],
  connected: [4, bool],
  remoteAddress: [5, text],
})

const traceToggleVerbosity = enumeration('TraceToggleVerbosity', {
  ReportNone: 0,
  ReportMatches: 1,
  ReportMisses: 2,
  ReportAll: 3,
})

export const togglePipeTracesRequest = defineMessage('TogglePipeTracesRequest', {
  enable: [1, bool],
  verbosity: [2, traceToggleVerbosity],
  appRegex: [3, text],
  pipeRegex: [4, text],
})

export type ChannelTrace = MessageOf<typeof channelTrace>
