/** A message that went over a channel of a router which is traced. */
import { defineHandler } from '../handler.ts'

export const traceEvent = defineHandler('traceEvent', ({ message: { body }, from }, { circuitTraces }) => {
  // A router may trace what it likes, but only in its own name.
  circuitTraces.received({ ...body, identity: from.routerId })
})
