import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Channel } from '../channel/channel.ts'
import { type ChannelPlan, controlPlan, linkPlan } from '../channel/channel-plan.ts'
import { greet } from '../hello/greet.ts'
import type { GroupPlace } from '../hello/hello.ts'
import { eventually } from '../testing/eventually.ts'
import { memoryPair } from '../testing/memory-pair.ts'
import { ChannelAcceptor } from './channel-acceptor.ts'
import { GroupKeeper } from './group-keeper.ts'

const policy = { base: 5, max: 20, minStable: 0, minDialInterval: 0, jitter: 0 }

/** A dialer and a listener in memory; `setReachable` cuts the way between them. */
async function network(plan: ChannelPlan, type: string, desired: Record<string, number>) {
  let isReachable = true
  const places: (GroupPlace & { type: string })[] = []
  const accepted: Channel[] = []
  const acceptor = new ChannelAcceptor({
    id: 'listener',
    admit: () => ({
      identity: 'dialer',
      name: 'accepted',
      plan: { ...plan, minUnderlays: 1 },
      bind: (channel) => void accepted.push(channel),
    }),
  })
  const dial = async (underlayType: string, place: GroupPlace) => {
    places.push({ ...place, type: underlayType })
    if (!isReachable) throw new Error('unreachable')
    const { near, far } = memoryPair()
    acceptor.accept(far)
    return await greet(near, { id: 'dialer', type: underlayType, group: place }, { timeoutMilliseconds: 5_000 })
  }
  const channel = new Channel(await dial(type, { isFirst: true }), { name: 'dialed', plan })
  channel.start()
  const keeper = new GroupKeeper(channel, { desired, policy, startupDelay: 0, dial })
  keeper.start()
  return {
    channel,
    keeper,
    accepted,
    places,
    setReachable: (value: boolean) => {
      isReachable = value
    },
    async [Symbol.asyncDispose]() {
      channel.close()
      await acceptor[Symbol.asyncDispose]()
    },
  }
}

function count(channel: Channel | undefined): string {
  return (channel?.underlays ?? [])
    .map(({ type }) => type)
    .sort()
    .join(' ')
}

test('a link gets all its connections, and those it loses again', async () => {
  const desired = { 'link.default': 3, 'link.ack': 1 }
  await using net = await network(linkPlan, 'link.default', desired)
  const all = 'link.ack link.default link.default link.default'
  await eventually(() => count(net.channel) === all && count(net.accepted[0]) === all, 'all are there')
  let lost = 0
  net.channel.onUnderlayChange(({ kind }) => {
    if (kind === 'removed') lost++
  })
  net.accepted[0]!.underlays[2]!.connection.destroy()
  await eventually(() => lost === 1, 'one is lost')
  await eventually(() => count(net.channel) === all && count(net.accepted[0]) === all, 'all are there again')
  assert.equal(net.accepted.length, 1)
  assert.ok(net.places.slice(1).every(({ isFirst, secret }) => !isFirst && secret !== undefined))
})

test('a link that loses its last default connection is not kept', async () => {
  await using net = await network(linkPlan, 'link.default', { 'link.default': 1, 'link.ack': 1 })
  await eventually(() => count(net.accepted[0]) === 'link.ack link.default', 'both are there')
  net.setReachable(false)
  const ofDefault = net.accepted[0]!.underlays.find(({ type }) => type === 'link.default')!
  ofDefault.connection.destroy()
  assert.equal((await net.channel.closed).reason, 'too few connections')
})

test('a router whose connections are all lost begins a new group, with the old secret', async () => {
  const plan = { ...controlPlan, minUnderlays: 0 }
  await using net = await network(plan, 'ctrl.default', { 'ctrl.default': 1, 'ctrl.high': 1 })
  const both = 'ctrl.default ctrl.high'
  await eventually(() => count(net.accepted[0]) === both, 'both are there')
  const { id, first } = net.channel
  net.setReachable(false)
  net.accepted[0]!.close()
  await eventually(() => net.channel.underlays.length === 0 && net.places.length > 4, 'nobody answers')
  net.setReachable(true)
  await eventually(() => net.accepted.length === 2 && count(net.accepted[1]) === both, 'there is a new channel')
  const restart = net.places.findLast(({ isFirst }) => isFirst)!
  assert.match(restart.connectionId!, new RegExp(`^${id}-[0-9]+$`))
  assert.deepEqual(restart.secret, first.secret)
  assert.equal(net.accepted[1]!.id, restart.connectionId)
  assert.equal(net.places.at(-1)!.connectionId, restart.connectionId)
  assert.equal(net.channel.isClosed, false)
})

test('more connections are dialed when more are desired', async () => {
  await using net = await network(controlPlan, 'ctrl.default', { 'ctrl.default': 1 })
  await eventually(() => count(net.accepted[0]) === 'ctrl.default', 'the first is there')
  net.keeper.setDesired({ 'ctrl.default': 1, 'ctrl.high': 1 })
  await eventually(() => count(net.accepted[0]) === 'ctrl.default ctrl.high', 'both are there')
})

test('a closed channel is not dialed for', async () => {
  await using net = await network(linkPlan, 'link.default', { 'link.default': 1, 'link.ack': 1 })
  net.setReachable(false)
  net.channel.close()
  await new Promise((resolve) => setTimeout(resolve, 50))
  const dials = net.places.length
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(net.places.length, dials)
})
