import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ControllerEvent, StampedEvent } from './event-types.ts'
import { goldenEvents, goldenSource, goldenTime } from './golden-events.ts'
import { formatPlain } from './plain.ts'

function plainLine(event: ControllerEvent, timestamp = goldenTime, namespace: string = event.namespace): string {
  return formatPlain({ timestamp, ...event, event_src_id: goldenSource } as StampedEvent, namespace)
}

for (const { event, shownAs, plain } of goldenEvents) {
  if (plain === undefined) continue
  const namespace = shownAs ?? event.namespace
  test(`${namespace}: the line is the peers' own`, () => assert.equal(plainLine(event, goldenTime, namespace), plain))
}

test('lines the peers do not have say who, what and where from', () => {
  const changes = goldenEvents.filter(({ event }) => event.namespace === 'entityChange')
  assert.deepEqual(
    changes.map(({ event }) => plainLine(event)),
    [
      'entityChange.created eventId=e1 timestamp=2026-08-01 12:00:00.123 +0000 UTC entityType=services isParentEvent=false entityId=v1 entityName=web authorType=identity authorId=i1 authorName=admin sourceType=rest method=POST remoteAddr=127.0.0.1:5000 traceId=t1',
      'entityChange.committed eventId=e1 timestamp=2026-08-01 12:00:00.123 +0000 UTC',
    ],
  )
  const connect = goldenEvents.find(({ event }) => event.namespace === 'connect')!
  assert.equal(
    plainLine(connect.event),
    'connect timestamp=2026-08-01 12:00:00.123 +0000 UTC srcType=identity dstType=ctrl srcId=i1 srcAddr=127.0.0.1:5000 dstId=ctrl1 dstAddr=localhost:1280',
  )
})

test('times are printed as Go prints them', () => {
  const cases = [
    ['2026-08-01T12:00:00.000Z', '2026-08-01 12:00:00 +0000 UTC'],
    ['2026-08-01T12:00:10.120Z', '2026-08-01 12:00:10.12 +0000 UTC'],
    ['2026-08-01T12:00:00.001Z', '2026-08-01 12:00:00.001 +0000 UTC'],
  ] as const
  for (const [timestamp, shown] of cases) {
    assert.equal(plainLine({ namespace: 'cluster', peer_id: 'i' }, timestamp), `cluster timestamp=${shown} peerId=i`)
  }
})

test('no value can break or forge a line', () => {
  const line = plainLine({ namespace: 'cluster', message: 'a\nsession.created id=x\r\u001b[2J\u2028' })
  assert.doesNotMatch(line, /[\p{Cc}\u2028]/u)
  assert.match(line, /message=a\\nsession\.created/)
})
