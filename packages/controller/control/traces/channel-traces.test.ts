import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SearchPattern } from '@weft/model'
import type { Channel, ChannelObserver } from '@weft/wire'
import { encodeFrame, Headers } from '@weft/wire'
import type { ChannelTrace } from '@weft/wire/messages'
import { ConnectedRouters } from '../../fabric/connected-routers.ts'
import { handClock, routerFacts, TestRouter } from '../../fabric/test-fabric.ts'
import { ChannelTraces } from './channel-traces.ts'

/** As much of a channel as a trace touches. */
class WatchedChannel {
  readonly name: string
  readonly observers = new Set<ChannelObserver>()

  constructor(name: string) {
    this.name = name
  }

  observe(observer: ChannelObserver): Disposable {
    this.observers.add(observer)
    return { [Symbol.dispose]: () => this.observers.delete(observer) }
  }

  receive(contentType: number, headers = new Headers()): void {
    const frame = encodeFrame(contentType, headers, Buffer.from('secret'), 7)
    for (const observer of this.observers) observer.received?.(frame, 0, frame.length, '')
  }
}

function start() {
  const clock = handClock()
  const routers = new ConnectedRouters({ clock }, { routerConnectChurnLimit: 0 })
  const traces = new ChannelTraces({ routers, clock }, { controllerId: 'c1' })
  const seen: ChannelTrace[] = []
  traces.follow((trace) => seen.push(trace))
  const connect = (id: string) => {
    const channel = new WatchedChannel(`ctrl ${id}`)
    const router = Object.assign(new TestRouter(id), { channel: channel as unknown as Channel })
    routers.connect(router, routerFacts)
    return { channel, router }
  }
  return { routers, traces, seen, connect }
}

const INSPECT = 1_013
const TRACE = 1_010

test('channels that match are traced, those that connect later too, until they are told not to be', () => {
  const { traces, seen, connect, routers } = start()
  const first = connect('r1')
  assert.deepEqual(traces.toggle(new SearchPattern('r[12]'), true), [{ name: 'ctrl r1', isMatch: true }])
  const second = connect('r2')
  const third = connect('r3')
  for (const { channel } of [first, second, third]) channel.receive(INSPECT)
  assert.deepEqual(
    seen.map(({ channel }) => channel),
    ['ctrl r1', 'ctrl r2'],
  )
  traces.toggle(new SearchPattern('.*'), false)
  assert.deepEqual([first.channel.observers.size, connect('r12').channel.observers.size], [0, 0])
  traces.toggle(new SearchPattern('r2'), true)
  routers.disconnect(second.router)
  assert.equal(second.channel.observers.size, 0)
})

test('a record names the message and shows nothing of what is in it', () => {
  const { traces, seen, connect } = start()
  const { channel } = connect('r1')
  traces.toggle(new SearchPattern('.*'), true)
  channel.receive(INSPECT, new Headers().setInt32(1, 5))
  channel.receive(INSPECT, new Headers().set(1, Buffer.from([1])))
  const [reply, broken] = seen
  const { contentType, sequence, replyFor, isRx, identity } = reply!
  assert.deepEqual([contentType, sequence, replyFor, isRx, identity], [INSPECT, 7, 5, true, 'c1'])
  assert.deepEqual(JSON.parse(String(reply!.decode)), { __decoder__: 'ctrl', __message__: 'inspectRequest' })
  assert.equal(broken!.replyFor, -1)
})

test('traces of traces are not made', () => {
  const { traces, seen, connect } = start()
  const { channel } = connect('r1')
  traces.toggle(new SearchPattern('.*'), true)
  channel.receive(TRACE)
  assert.deepEqual(seen, [])
})
