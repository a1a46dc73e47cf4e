import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentTypeAt } from '../frame/layout.ts'
import { groupedPair } from '../testing/channel-pair.ts'
import { eventually } from '../testing/eventually.ts'
import { Channel } from './channel.ts'
import { controlPlan, edgePlan, linkPlan } from './channel-plan.ts'
import { queuesFor } from './queue-assignment.ts'

const note = 7_001

function grouped(plan = controlPlan, type = 'ctrl.default') {
  const { near, far } = groupedPair(type)
  const here = new Channel(near, { name: 'here', plan })
  const there = new Channel(far, { name: 'there', plan })
  const join = (another: string) => {
    const pair = groupedPair(another)
    here.add(pair.near)
    there.add(pair.far)
    return pair
  }
  return { here, there, join }
}

test('each connection empties the queues of its type, and stands in for absent ones', () => {
  const both = new Set(['ctrl.default', 'ctrl.high'])
  assert.deepEqual(queuesFor(controlPlan, 'ctrl.default', both), ['default', 'low'])
  assert.deepEqual(queuesFor(controlPlan, 'ctrl.high', both), ['high'])
  assert.deepEqual(queuesFor(controlPlan, 'ctrl.default', new Set(['ctrl.default'])), ['high', 'default', 'low'])
  assert.deepEqual(queuesFor(controlPlan, 'ctrl.high', new Set(['ctrl.high'])), ['default', 'low', 'high'])
  assert.deepEqual(queuesFor(linkPlan, 'link.ack', new Set(['link.ack', 'link.default'])), ['ack'])
  assert.deepEqual(queuesFor(edgePlan, 'edge.default', new Set(['edge.default'])), ['control', 'default'])
  assert.deepEqual(queuesFor(controlPlan, 'unheard.of', both), ['high', 'default', 'low'])
})

test('a message takes the connection of its queue, and its reply may take another', async () => {
  const { here, there, join } = grouped()
  const seen: string[] = []
  there.observe({
    received(buffer, start, _end, type) {
      // Heartbeats come when they like.
      if (contentTypeAt(buffer, start) === note) seen.push(type)
    },
  })
  there.handle(note, (message) => there.reply(message, { contentType: note }))
  here.start()
  there.start()
  join('ctrl.high')
  await here.request({ contentType: note }, { queue: 'high' })
  await here.request({ contentType: note }, { queue: 'default' })
  await here.request({ contentType: note }, { queue: 'low' })
  assert.deepEqual(seen, ['ctrl.high', 'ctrl.default', 'ctrl.default'])
  here.close()
  await there.closed
})

test('the loss of one connection leaves the channel to the others', async () => {
  const { here, there, join } = grouped()
  const changes: string[] = []
  here.onUnderlayChange(({ kind, underlay }) => void changes.push(`${kind} ${underlay.type}`))
  there.handle(note, (message) => there.reply(message, { contentType: note }))
  here.start()
  there.start()
  const high = join('ctrl.high')
  high.far.connection.destroy()
  await eventually(() => here.underlays.length === 1 && there.underlays.length === 1, 'the connection is gone')
  await here.request({ contentType: note }, { queue: 'high' })
  assert.deepEqual(changes, ['added ctrl.default', 'added ctrl.high', 'removed ctrl.high'])
  here.first.connection.destroy()
  assert.equal((await here.closed).reason, 'connection lost')
})

test('a link without its last default connection closes, whatever else it has', async () => {
  const { here, there, join } = grouped(linkPlan, 'link.default')
  here.start()
  there.start()
  join('link.ack')
  there.first.connection.destroy()
  assert.equal((await here.closed).reason, 'too few connections')
  await there.closed
})

test('a group that begins with the wrong type closes at once', async () => {
  const { near } = groupedPair('link.other')
  const channel = new Channel(near, { name: 'link', plan: linkPlan })
  channel.start()
  assert.equal((await channel.closed).reason, 'too few connections')
})

test('a router keeps its channel without any connection, and sends what waited when there is one again', async () => {
  const plan = { ...controlPlan, minUnderlays: 0 }
  const { near, far } = groupedPair('ctrl.default')
  const channel = new Channel(near, { name: 'router', plan })
  channel.start()
  far.connection.destroy()
  await eventually(() => channel.underlays.length === 0, 'the connection is gone')
  assert.equal(channel.isClosed, false)
  await channel.send({ contentType: note }, { queue: 'default' })
  const again = groupedPair('ctrl.high')
  const there = new Channel(again.far, { name: 'controller', plan: controlPlan })
  const seen: number[] = []
  there.handle(note, ({ sequence }) => void seen.push(sequence))
  there.start()
  channel.add(again.near)
  await eventually(() => seen.length === 1, 'the message arrived')
  channel.close()
})

test('no queue starves behind another', async () => {
  const { here, there } = grouped()
  const seen: string[] = []
  there.handle(note, ({ body }) => void seen.push(body.toString()))
  here.start()
  there.start()
  await here.send({ contentType: note, body: Buffer.from('low') }, { queue: 'low' })
  let isOpen = true
  const flood = (async () => {
    while (isOpen) await here.send({ contentType: note, body: Buffer.alloc(1_000, 65) }, { queue: 'high' })
  })()
  await eventually(() => seen.includes('low'), 'the least urgent message was sent')
  isOpen = false
  await flood
  here.close()
})
