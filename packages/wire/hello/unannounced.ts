/** A connection on which no hello is spoken, because both sides know each other already. */
import type { Underlay } from '../channel/underlay.ts'
import { type FrameBudget, helloLimits } from '../frame/frame-limits.ts'
import { FrameReader } from '../frame/frame-reader.ts'
import { Headers } from '../frame/headers.ts'
import type { Connection } from '../transport/connection.ts'

/** Ready for `new Channel(underlay, { plan: singlePlan, … })`, which sets the limits for frames. */
export function unannounced(connection: Connection, peerId: string, budget?: FrameBudget): Underlay {
  const reader = new FrameReader(() => {}, helloLimits, budget)
  reader.hold()
  return { connection, reader, type: '', connectionId: '', secret: undefined, peerId, headers: new Headers() }
}
