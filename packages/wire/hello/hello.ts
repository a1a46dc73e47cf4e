/**
 * The hello: the first frame of whoever dialed. Everything in it is a claim; who the peer is comes from its certificate.
 *
 * Only the fields of the grouping are interpreted here, and those only where they apply: links give the numbers 1 to 6 a
 * meaning of their own, and peers of 1.x use 10 and 11 for other things on ungrouped control channels.
 */
import { channelHeader, channelMessage } from '../frame/channel-headers.ts'
import { Headers } from '../frame/headers.ts'
import { encodeFrame, type Message } from '../frame/message.ts'
import { ProtocolError } from '../frame/protocol-error.ts'

/** How a hello places its connection in a group. */
export interface GroupPlace {
  /** Which group; absent when the listener is to name it. */
  readonly connectionId?: string
  /** Proves that this connection belongs to it. */
  readonly secret?: Buffer
  readonly isFirst: boolean
}

export interface Hello {
  /** The body: the peer's own id, or the id of the link. */
  readonly id: string
  /** A Go peer sends -1, the C SDK 1. The answer refers to it. */
  readonly sequence: number
  /** What the connection is for, such as `ctrl.high`; empty when not said. */
  readonly type: string
  /** Undefined for a connection that stands alone. */
  readonly group: GroupPlace | undefined
  readonly headers: Headers
}

/** The sequence of our hellos and answers. */
export const helloSequence = -1

const maxTypeLength = 64
const maxConnectionIdLength = 256
const minSecretLength = 16
const maxSecretLength = 64

export interface HelloContent {
  readonly id: string
  readonly type?: string
  readonly group?: GroupPlace
  /** What this kind of channel says about itself. */
  readonly headers?: Headers
}

export function encodeHello(content: HelloContent): Buffer {
  const headers = content.headers?.clone() ?? new Headers()
  const { group } = content
  if (content.type !== undefined && content.type !== '') headers.set(channelHeader.type, content.type)
  if (group !== undefined) {
    headers.set(channelHeader.isGrouped, true)
    if (group.connectionId !== undefined) headers.set(channelHeader.connectionId, group.connectionId)
    if (group.secret !== undefined) headers.set(channelHeader.groupSecret, group.secret)
    if (group.isFirst) headers.set(channelHeader.isFirstOfGroup, true)
  }
  return encodeFrame(channelMessage.hello, headers, Buffer.from(content.id), helloSequence)
}

/** Throws `ProtocolError` for another message, and for group fields no peer sends. */
export function decodeHello(message: Message): Hello {
  if (message.contentType !== channelMessage.hello) throw new ProtocolError('NOT_A_HELLO')
  const { headers } = message
  const type = headers.text(channelHeader.type) ?? ''
  if (type.length > maxTypeLength) throw new ProtocolError('BAD_HELLO', 'the type is too long')
  const group = headers.flag(channelHeader.isGrouped) ? decodeGroup(headers) : undefined
  return { id: message.body.toString('utf8'), sequence: message.sequence, type, group, headers }
}

function decodeGroup(headers: Headers): GroupPlace {
  const isFirst = headers.flag(channelHeader.isFirstOfGroup)
  const connectionId = headers.text(channelHeader.connectionId)
  const secret = headers.get(channelHeader.groupSecret)
  if (connectionId !== undefined && connectionId.length > maxConnectionIdLength) {
    throw new ProtocolError('BAD_HELLO', 'the connection id is too long')
  }
  const hasSecret = secret !== undefined && secret.length > 0
  if (hasSecret && (secret.length < minSecretLength || secret.length > maxSecretLength)) {
    throw new ProtocolError('BAD_HELLO', 'the group secret has an unusual length')
  }
  return {
    isFirst,
    ...(connectionId === undefined || connectionId === '' ? {} : { connectionId }),
    ...(hasSecret ? { secret: Buffer.from(secret) } : {}),
  }
}
