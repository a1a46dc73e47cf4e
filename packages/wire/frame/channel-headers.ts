/** The headers and content types that belong to the channel itself, whatever is spoken over it. */
import { Headers } from './headers.ts'
import type { Message, OutgoingMessage } from './message.ts'

/** Header numbers. In a hello the numbers 1 to 6 can mean something else: links use them for their own facts. */
export const channelHeader = {
  connectionId: 0,
  replyFor: 1,
  resultSuccess: 2,
  version: 4,
  heartbeat: 5,
  heartbeatResponse: 6,
  type: 7,
  id: 8,
  isGrouped: 9,
  groupSecret: 10,
  isFirstOfGroup: 11,
  /** Never sent on purpose, dropped on receipt. */
  underlayType: 12,
  rejectClass: 13,
  /** Copied from a request into its reply. */
  reflected: 128,
} as const

/** Content types that every channel knows. */
export const channelMessage = {
  hello: 0,
  ping: 1,
  result: 2,
  latency: 3,
  latencyResponse: 4,
  heartbeat: 5,
} as const

/** The sequence of the request that a message replies to; undefined when it is no reply. */
export function replyForOf(message: Message): number | undefined {
  const replyFor = message.headers.int32(channelHeader.replyFor)
  return replyFor === -1 ? undefined : replyFor
}

/** A message made the reply to a request: numbered after it, with what the requester wants reflected. */
export function replyTo(request: Message, message: OutgoingMessage): OutgoingMessage {
  const headers = message.headers?.clone() ?? new Headers()
  headers.setInt32(channelHeader.replyFor, request.sequence)
  const reflected = request.headers.get(channelHeader.reflected)
  if (reflected !== undefined) headers.set(channelHeader.reflected, reflected)
  return { ...message, headers }
}

/** The general answer: whether it worked, and a text. */
export function resultMessage(isSuccess: boolean, text = ''): OutgoingMessage {
  return {
    contentType: channelMessage.result,
    headers: new Headers().set(channelHeader.resultSuccess, isSuccess),
    body: Buffer.from(text),
  }
}

/** What a Result says. Without its success header it is a failure. */
export function readResult(message: Message): { readonly isSuccess: boolean; readonly text: string } {
  const isSuccess = message.contentType === channelMessage.result && message.headers.flag(channelHeader.resultSuccess)
  return { isSuccess, text: message.body.toString('utf8') }
}
