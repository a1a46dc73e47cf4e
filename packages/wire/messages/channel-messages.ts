/** Messages of the channel itself, as part of the catalogues of those who speak over it. */
import { type MessageTable, optional, required } from '../catalogue/definition.ts'
import { bool, bytes, prose, u32, u64 } from '../catalogue/value-kinds.ts'
import { channelHeader, channelMessage } from '../frame/channel-headers.ts'

/** The general answer. */
export const resultMessages = {
  result: {
    type: channelMessage.result,
    from: 'either',
    headers: {
      success: required(channelHeader.resultSuccess, bool),
      /** See `resultErrorRateLimited`. */
      errorCode: optional(10, u32),
    },
    body: prose,
  },
} as const satisfies MessageTable

/** Latency probes. The header is an echo: the probed side copies it. */
export const latencyMessages = {
  latency: {
    type: channelMessage.latency,
    from: 'either',
    headers: { reflected: optional(channelHeader.reflected, bytes) },
    replies: ['result'],
  },
  latencyResponse: {
    type: channelMessage.latencyResponse,
    from: 'either',
    headers: { reflected: optional(channelHeader.reflected, bytes) },
  },
} as const satisfies MessageTable

/** Carries nothing but the two headers that may also ride on any other message. */
export const heartbeatMessages = {
  heartbeat: {
    type: channelMessage.heartbeat,
    from: 'either',
    headers: {
      heartbeat: optional(channelHeader.heartbeat, u64),
      heartbeatResponse: optional(channelHeader.heartbeatResponse, u64),
    },
  },
} as const satisfies MessageTable
