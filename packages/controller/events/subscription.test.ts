import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventConfigProblem, EventSubscriptionConfig } from './event-config.ts'
import type { ControllerEvent, EntityChangeEvent } from './event-types.ts'
import { goldenEvents } from './golden-events.ts'
import { isProblem, readSubscription, type Subscription } from './subscription.ts'

function subscription(config: EventSubscriptionConfig): Subscription {
  const result = readSubscription(config)
  assert.ok(!isProblem(result), JSON.stringify(result))
  return result
}

function problem(config: EventSubscriptionConfig): EventConfigProblem {
  const result = readSubscription(config)
  assert.ok(isProblem(result))
  return result
}

const session = (event_type: string) => ({ namespace: 'session', event_type }) as ControllerEvent

function change(entityType: string, isParentEvent: boolean, eventType = 'created'): EntityChangeEvent {
  return { namespace: 'entityChange', entityType, isParentEvent, eventType } as EntityChangeEvent
}

test('former names select the namespace of today and show the former name', () => {
  const cases = [
    ['edge.sessions', 'session', 'edge.sessions'],
    ['edge.apiSessions', 'apiSession', 'edge.apiSessions'],
    ['edge.entityCounts', 'entityCount', 'edge.entityCounts'],
    ['edge.authentications', 'authentication', 'authentication'],
    ['fabric.circuits', 'circuit', 'fabric.circuits'],
    ['services', 'service', 'service.events'],
    ['session', 'session', 'session'],
    ['connect', 'connect', 'connect'],
  ] as const
  for (const [type, namespace, shownAs] of cases) {
    const result = subscription({ type })
    assert.deepEqual([result.namespace, result.shownAs], [namespace, shownAs])
  }
})

test('every namespace with a golden event can be subscribed to', () => {
  for (const { event } of goldenEvents) assert.ok(subscription({ type: event.namespace }).accepts(event))
})

test('include selects by event type, as one name or a list', () => {
  for (const include of ['created', ['created']]) {
    const { accepts } = subscription({ type: 'session', include })
    assert.deepEqual([accepts(session('created')), accepts(session('deleted'))], [true, false])
  }
  const { accepts } = subscription({ type: 'session', include: [] })
  assert.ok(accepts(session('deleted')))
})

test('entityChange selects by entity type, committed events included', () => {
  const { accepts } = subscription({ type: 'entityChange', include: ['services'] })
  assert.ok(accepts(change('services', false)))
  assert.ok(accepts(change('services', false, 'committed')))
  assert.ok(!accepts(change('identities', false)))
  assert.ok(!accepts(change('identities', false, 'committed')))
})

test('events of a parent type are shown only when asked for', () => {
  assert.ok(!subscription({ type: 'entityChange' }).accepts(change('routers', true)))
  for (const includeParentEvents of [true, 'true', 'True']) {
    assert.ok(subscription({ type: 'entityChange', includeParentEvents }).accepts(change('routers', true)))
  }
})

test('entityCount has an interval, five minutes by default', () => {
  assert.equal(subscription({ type: 'entityCount' }).interval, 300_000)
  assert.equal(subscription({ type: 'edge.entityCounts', interval: '90s' }).interval, 90_000)
})

test('an unknown type is warned about, by the known ones', () => {
  const { severity, path, message } = problem({ type: 'sessions' })
  assert.equal(severity, 'warning')
  assert.deepEqual(path, ['type'])
  assert.match(message, /"sessions".*edge\.sessions.*session/)
  assert.equal(problem({ type: '__proto__' }).severity, 'warning')
})

test('options that cannot be meant are errors', () => {
  const cases: readonly (readonly [EventSubscriptionConfig, string])[] = [
    [{ type: 'session', include: ['gone'] }, 'include'],
    [{ type: 'session', include: [1] }, 'include'],
    [{ type: 'authentication', include: 'failed' }, 'include'],
    [{ type: 'entityChange', include: { a: 1 } }, 'include'],
    [{ type: 'entityChange', include: ['services', 'nothing'] }, 'include'],
    [{ type: 'entityChange', includeParentEvents: 1 }, 'includeParentEvents'],
    [{ type: 'entityCount', interval: 'soon' }, 'interval'],
    [{ type: 'entityCount', interval: '1ms' }, 'interval'],
    [{ type: 'entityCount', interval: '99999h' }, 'interval'],
  ]
  for (const [config, key] of cases) {
    const { severity, path } = problem(config)
    assert.deepEqual([severity, path], ['error', [key]])
  }
})

test('metrics are chosen by who measures and by what is measured', () => {
  const event = {
    namespace: 'metrics',
    source_id: 'router-1',
    metric: 'link.latency',
    metrics: { mean: 1, count: 2 },
  } as unknown as ControllerEvent
  const chosen = subscription({ type: 'metrics', sourceFilter: '^router', metricFilter: 'latency\\.mean$' })
  assert.ok(chosen.accepts(event))
  assert.deepEqual((chosen.partOf!(event) as { metrics?: unknown }).metrics, { mean: 1 })
  assert.ok(!subscription({ type: 'metrics', sourceFilter: '^edge' }).accepts(event))
  assert.ok(!subscription({ type: 'metrics', metricFilter: 'queue' }).accepts(event))
  assert.ok(subscription({ type: 'metrics' }).accepts(event))
  assert.equal(problem({ type: 'metrics', metricFilter: '(' }).severity, 'error')
  assert.equal(problem({ type: 'metrics', sourceFilter: 7 }).severity, 'error')
})

test('usage is of the version that is asked for, and of the kinds', () => {
  const byCircuit = { namespace: 'usage', version: 3, usage: { 'ingress.rx': 1, 'egress.tx': 2 } }
  const byDirection = { namespace: 'usage', version: 2, usage: 1 } as unknown as ControllerEvent
  const event = byCircuit as unknown as ControllerEvent
  assert.ok(subscription({ type: 'fabric.usage' }).accepts(byDirection))
  assert.ok(!subscription({ type: 'usage' }).accepts(event))
  const chosen = subscription({ type: 'usage', version: '3', include: ['egress.tx'] })
  assert.ok(chosen.accepts(event) && !chosen.accepts(byDirection))
  assert.deepEqual((chosen.partOf!(event) as { usage?: unknown }).usage, { 'egress.tx': 2 })
  assert.ok(!subscription({ type: 'usage', version: 3, include: ['fabric.tx'] }).accepts(event))
  assert.equal(problem({ type: 'usage', version: 4 }).severity, 'error')
})
