/**
 * Events as JSON, one object a line, header first.
 */
import type { StampedEvent } from './event-types.ts'

/** Formats an event under the namespace its subscription asked for, without the line end. */
export function formatJson(event: StampedEvent, namespace: string): string {
  const { namespace: _own, event_src_id, timestamp, ...members } = event
  return JSON.stringify({ namespace, event_src_id, timestamp, ...shown(members as Members) })
}

type Members = Readonly<Record<string, unknown>>

/** Members only subscriptions look at do not leave the process. */
function shown(members: Members): Members {
  if (members['eventType'] !== 'committed') return members
  const { entityType: _type, isParentEvent: _parent, ...rest } = members
  return rest
}
