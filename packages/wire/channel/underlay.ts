/** One connection on which the hello is done: what a channel is made of. */
import type { FrameReader } from '../frame/frame-reader.ts'
import type { Headers } from '../frame/headers.ts'
import type { Connection } from '../transport/connection.ts'

export interface Underlay {
  readonly connection: Connection
  /** Held; what came behind the hello is in it. */
  readonly reader: FrameReader
  /** What the connection is for, such as `link.ack`; empty when the hello did not say. */
  readonly type: string
  /** Which channel it belongs to, as both sides call it. */
  readonly connectionId: string
  /** Undefined when the two sides did not agree on a group. */
  readonly secret: Buffer | undefined
  /** What the peer calls itself: the id in its hello or its answer. A claim. */
  readonly peerId: string
  /** The headers of the peer's hello or answer. */
  readonly headers: Headers
}
