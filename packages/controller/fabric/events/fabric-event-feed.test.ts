import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventDispatcher } from '../../events/dispatcher.ts'
import type { EventHandlerStats, EventReceiver } from '../../events/event-handler.ts'
import type { EventNamespace, StampedEvent } from '../../events/event-types.ts'
import { isProblem, readSubscription, type Subscription } from '../../events/subscription.ts'
import { silentLogger } from '../../log/logger.ts'
import { TestFabric } from '../test-fabric.ts'
import { FabricEventFeed } from './fabric-event-feed.ts'

class Listener implements EventReceiver {
  readonly subscriptions: readonly Subscription[]
  readonly heard: StampedEvent[] = []

  constructor(...types: EventNamespace[]) {
    this.subscriptions = types.flatMap((type) => {
      const read = readSubscription({ type })
      return isProblem(read) ? [] : [read]
    })
  }

  get stats(): EventHandlerStats {
    return { name: '', queuedLines: 0, queuedBytes: 0, written: 0, writeErrors: 0, dropped: new Map() }
  }

  offer(event: StampedEvent): void {
    this.heard.push(event)
  }

  async close(): Promise<void> {}
}

function listen(net: TestFabric, ...types: EventNamespace[]) {
  const { clock, state, writer } = net
  const { view } = net.network
  const dispatcher = new EventDispatcher({ clock, log: silentLogger }, { controllerId: 'c' })
  const listener = new Listener(...types)
  dispatcher.join(listener)
  const feed = new FabricEventFeed({ dispatcher, state, view, writer, clock })
  return { heard: listener.heard, [Symbol.dispose]: () => feed[Symbol.dispose]() }
}

test('a circuit is told when it is made, when it moves and when it ends, and an attempt when it fails', async (t) => {
  await using net = new TestFabric(t)
  using events = listen(net, 'circuit')
  const [a, b, c] = [net.router('a'), net.router('b'), net.router('c')]
  net.link(a, b)
  net.link(b, c)
  net.service('s')
  await assert.rejects(net.dial(a, 's', { clientId: 'me' }))
  net.terminator('t', 's', c)
  const circuit = await net.dial(a, 's', { clientId: 'me' })
  const d = net.router('d')
  net.link(a, d)
  net.link(d, c)
  net.state.links.fault(b, { linkId: 'b-c', iteration: 0, isDuplicate: false })
  await net.settle()
  net.fabric.removal.remove(circuit.id, { when: 'now', reason: 'test' })
  const [failed, created, moved, deleted] = events.heard as unknown as Record<string, unknown>[]
  assert.equal(events.heard.length, 4)
  assert.deepEqual(
    [failed!['event_type'], failed!['failure_cause'], failed!['client_id']],
    ['failed', 'NO_TERMINATORS', 'me'],
  )
  assert.deepEqual(failed!['path'], { nodes: null, links: null, ingress_id: '', egress_id: '' })
  assert.deepEqual([created!['event_type'], created!['terminator_id'], created!['link_count']], ['created', 't', 2])
  assert.deepEqual((created!['path'] as { nodes: unknown }).nodes, ['a', 'b', 'c'])
  assert.equal(typeof created!['creation_timespan'], 'number')
  assert.equal('duration' in created!, false)
  assert.deepEqual(
    [moved!['event_type'], (moved!['path'] as { nodes: unknown }).nodes],
    ['pathUpdated', ['a', 'd', 'c']],
  )
  assert.deepEqual([deleted!['event_type'], deleted!['circuit_id']], ['deleted', circuit.id])
  assert.equal(typeof deleted!['duration'], 'number')
  assert.equal('path_cost' in deleted!, false)
})

test('how dials end is counted by the minute, and told when the minute is over', async (t) => {
  await using net = new TestFabric(t)
  using events = listen(net, 'service')
  const [a, b] = [net.router('a'), net.router('b')]
  net.link(a, b)
  net.service('s')
  await assert.rejects(net.dial(a, 's'))
  net.terminator('t', 's', b)
  await net.dial(a, 's')
  await net.dial(a, 's')
  assert.deepEqual(events.heard, [])
  net.pass(61_000)
  const told = events.heard as unknown as Record<string, unknown>[]
  assert.deepEqual(
    told.map((event) => [event['event_type'], event['service_id'], event['terminator_id'], event['count']]),
    [
      ['service.dial.error_other', 's', '', 1],
      ['service.dial.success', 's', 't', 2],
    ],
  )
  assert.equal((told[0]!['interval_start_utc'] as number) % 60, 0)
})

test('terminators are told with how their service stands', async (t) => {
  await using net = new TestFabric(t)
  using events = listen(net, 'terminator', 'router')
  const [a, b] = [net.router('a'), net.router('b')]
  net.service('s')
  net.terminator('t', 's', a)
  net.terminator('u', 's', b, { precedence: 'required' })
  net.state.routers.disconnect(a)
  const told = events.heard as unknown as Record<string, unknown>[]
  const last = told.at(-1)!
  assert.deepEqual(
    [last['event_type'], last['terminator_id'], last['router_online'], last['total_terminators']],
    ['router-offline', 't', false, 2],
  )
  assert.deepEqual([last['usable_default_terminators'], last['usable_required_terminators']], [0, 1])
  assert.ok(told.some((event) => event['namespace'] === 'terminator' && event['event_type'] === 'created'))
})

test('nothing is told to nobody', async (t) => {
  await using net = new TestFabric(t)
  using events = listen(net, 'alert')
  const [a, b] = [net.router('a'), net.router('b')]
  net.link(a, b)
  net.pass(61_000)
  assert.deepEqual(events.heard, [])
})
