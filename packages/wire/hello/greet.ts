/** The dialer's half of the hello. */
import { X509Certificate } from 'node:crypto'
import { ChannelError } from '../channel/channel-error.ts'
import type { Underlay } from '../channel/underlay.ts'
import type { FrameBudget } from '../frame/frame-limits.ts'
import { ProtocolError } from '../frame/protocol-error.ts'
import type { Connection } from '../transport/connection.ts'
import { type FirstFrame, type Patience, readFirstFrame } from './first-frame.ts'
import { encodeHello, type HelloContent } from './hello.ts'
import { decodeHelloAnswer } from './hello-answer.ts'

/** Says hello and waits for the answer. Rejects with the connection destroyed when there is none, or a refusal. */
export async function greet(
  connection: Connection,
  hello: HelloContent,
  patience: Patience,
  budget?: FrameBudget,
): Promise<Underlay> {
  try {
    const answered = readFirstFrame(connection, patience, budget)
    connection.write(encodeHello(hello))
    const { message, reader } = await answered.catch(explain)
    const answer = decodeHelloAnswer(message)
    const connectionId = hello.group?.connectionId ?? answer.connectionId ?? ''
    if (answer.isGrouped && hello.group !== undefined) checkSecret(hello.group.secret, answer.secret)
    return {
      connection,
      reader,
      type: hello.type ?? '',
      connectionId,
      secret: answer.isGrouped && hello.group !== undefined ? answer.secret : undefined,
      peerId: answer.id ?? commonNameOf(connection),
      headers: answer.headers,
    }
  } catch (error) {
    connection.destroy()
    throw error
  }
}

function checkSecret(sent: Buffer | undefined, received: Buffer | undefined): void {
  if (received === undefined || received.length === 0)
    throw new ChannelError('GROUP_SECRET', 'the answer has no secret')
  if (sent !== undefined && !sent.equals(received))
    throw new ChannelError('GROUP_SECRET', 'the answer has another secret')
}

/** A listener that does not name itself is whom its certificate names; empty where that names nobody either. */
function commonNameOf({ certificates: [leaf] }: Connection): string {
  if (leaf === undefined) return ''
  const name: unknown = new X509Certificate(leaf).toLegacyObject().subject?.CN
  return typeof name === 'string' ? name : ''
}

function explain(error: unknown): FirstFrame {
  if (error instanceof ProtocolError && error.code === 'BAD_MAGIC') {
    throw new ChannelError('VERSION_REFUSED', undefined, { cause: error })
  }
  throw error
}
