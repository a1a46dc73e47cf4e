/** Every expected failure of a channel and of making one, by code. */
export const channelErrors = {
  CLOSED: 'the channel is closed',
  TIMEOUT: 'the peer did not answer in time',
  SEND_TIMEOUT: 'the message could not be queued in time',
  QUEUE_FULL: 'too many messages wait for the queue',
  TOO_MANY_REQUESTS: 'too many requests wait for their answers',
  MESSAGE_TOO_LARGE: 'the message is larger than the peer would take',
  NO_SUCH_QUEUE: 'the channel has no such queue',
  HELLO_TIMEOUT: 'the hello was not finished in time',
  HELLO_REFUSED: 'the peer refused the hello',
  HELLO_OUT_OF_STEP: 'the answer does not belong to the hello',
  VERSION_REFUSED: 'the peer does not speak version 2 of the channel',
  CONNECTION_LOST: 'the connection ended',
  WRONG_PEER: 'another peer answered than was meant',
  GROUP_UNKNOWN: 'there is no such group of connections',
  GROUP_SECRET: 'the connection may not join the group',
  TOO_MANY: 'there are too many connections of this kind',
} as const

/** Never reused for another meaning. */
export type ChannelErrorCode = keyof typeof channelErrors

/** An expected failure: match on `code`. */
export class ChannelError extends Error {
  readonly code: ChannelErrorCode

  constructor(code: ChannelErrorCode, detail?: string, options?: { readonly cause?: unknown }) {
    super(detail === undefined ? channelErrors[code] : `${channelErrors[code]}: ${detail}`, options)
    this.name = 'ChannelError'
    this.code = code
  }
}
