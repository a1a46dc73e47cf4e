import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StampedEvent } from './event-types.ts'
import { goldenEvents, goldenSource, goldenTime } from './golden-events.ts'
import { formatJson } from './json.ts'

for (const { event, shownAs, json } of goldenEvents) {
  const namespace = shownAs ?? event.namespace
  test(`${namespace}: the line is the peers' own`, () => {
    const stamped = { timestamp: goldenTime, ...event, event_src_id: goldenSource } as StampedEvent
    assert.equal(formatJson(stamped, namespace), json)
  })
}

test('no value can break the line', () => {
  const event = { namespace: 'cluster', peer: 'a\nb', event_src_id: 'c', timestamp: goldenTime } as const
  assert.doesNotMatch(formatJson(event, 'cluster'), /\n/)
})
