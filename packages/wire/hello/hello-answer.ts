/** What the listener says to a hello: yes with the facts of the connection, no with a reason, or another version. */

import { ChannelError } from '../channel/channel-error.ts'
import { channelHeader, channelMessage } from '../frame/channel-headers.ts'
import { Headers } from '../frame/headers.ts'
import { encodeFrame, type Message } from '../frame/message.ts'
import { type Hello, helloSequence } from './hello.ts'

/** Why a hello is refused, so that the dialer knows whether to come back. */
export const rejectClasses = { unspecified: 0, busy: 1, 'not permitted': 2 } as const
export type RejectClass = keyof typeof rejectClasses

export interface AnswerContent {
  readonly connectionId: string
  /** The listener's own id. */
  readonly id?: string
  /** Goes out with every grouped answer: dialers compare it with what they hold. */
  readonly secret?: Buffer
  readonly headers?: Headers
}

export interface HelloAnswer {
  readonly connectionId: string | undefined
  /** What the listener calls itself; a claim, to be compared with its certificate. */
  readonly id: string | undefined
  readonly isGrouped: boolean
  readonly secret: Buffer | undefined
  readonly headers: Headers
}

export function encodeHelloAnswer(hello: Hello, content: AnswerContent): Buffer {
  const headers = content.headers?.clone() ?? new Headers()
  headers.set(channelHeader.connectionId, content.connectionId)
  if (content.id !== undefined) headers.set(channelHeader.id, content.id)
  if (hello.type !== '') headers.set(channelHeader.type, hello.type)
  if (hello.group !== undefined) headers.set(channelHeader.isGrouped, true)
  if (content.secret !== undefined) headers.set(channelHeader.groupSecret, content.secret)
  headers.set(channelHeader.resultSuccess, true)
  headers.setInt32(channelHeader.replyFor, hello.sequence)
  const reflected = hello.headers.get(channelHeader.reflected)
  if (reflected !== undefined) headers.set(channelHeader.reflected, reflected)
  return encodeFrame(channelMessage.result, headers, Buffer.alloc(0), helloSequence)
}

export function encodeHelloRefusal(hello: Hello, reason: RejectClass, text: string): Buffer {
  const headers = new Headers().setInt32(channelHeader.replyFor, hello.sequence).set(channelHeader.resultSuccess, false)
  if (reason !== 'unspecified') headers.setUint32(channelHeader.rejectClass, rejectClasses[reason])
  return encodeFrame(channelMessage.result, headers, Buffer.from(text), helloSequence)
}

/** Throws `ChannelError` when the answer is a refusal or answers something else. */
export function decodeHelloAnswer(message: Message): HelloAnswer {
  const { headers } = message
  if (message.contentType !== channelMessage.result) throw new ChannelError('HELLO_OUT_OF_STEP')
  if (headers.int32(channelHeader.replyFor) !== helloSequence) throw new ChannelError('HELLO_OUT_OF_STEP')
  if (!headers.flag(channelHeader.resultSuccess)) throw refusalOf(message)
  return {
    connectionId: headers.text(channelHeader.connectionId),
    id: headers.text(channelHeader.id),
    isGrouped: headers.flag(channelHeader.isGrouped),
    secret: headers.get(channelHeader.groupSecret),
    headers,
  }
}

/** A refusal with its class: a decision of the peer, not to be asked again at once. */
export class HelloRefusedError extends ChannelError {
  readonly reason: RejectClass

  constructor(reason: RejectClass, text: string) {
    super('HELLO_REFUSED', text === '' ? reason : text)
    this.reason = reason
  }
}

function refusalOf(message: Message): HelloRefusedError {
  const number = message.headers.uint32(channelHeader.rejectClass) ?? 0
  const reason = (Object.keys(rejectClasses) as RejectClass[]).find((name) => rejectClasses[name] === number)
  return new HelloRefusedError(reason ?? 'unspecified', message.body.toString('utf8', 0, 256))
}
