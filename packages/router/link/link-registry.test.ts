import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../testing/eventually.ts'
import { type TestRouter, TwoRegistries, testDialer } from '../testing/two-registries.ts'

const limits = { timeout: 20_000 }
/** The links in use, by id. */
const inUse = ({ registry }: TestRouter) => [...registry.links()].map(({ id }) => id)
const stateOf = ({ registry }: TestRouter) => [...registry.destinations()][0]?.states.values().next().value
const isLinked = (router: TestRouter) => () => inUse(router).length === 1

test('a router that is told of another dials it, and both have the link', limits, async () => {
  await using two = new TwoRegistries()
  two.tell(two.a)
  await eventually(isLinked(two.a), 'a has it')
  assert.deepEqual(inUse(two.b), inUse(two.a))
  const [link] = two.a.registry.links()
  assert.deepEqual([link!.facts.isDialed, link!.facts.iteration, link!.facts.dialAddress], [true, 1, 'tls:127.0.0.1:1'])
  assert.deepEqual([...two.b.registry.dialedLinks()], [])
  assert.deepEqual(two.a.events, [`established ${link!.id} 1`])
  two.tell(two.b)
  assert.equal(stateOf(two.b)!.status, 'established', 'what is there is not dialled')
})

test('two that dial each other at once keep the link with the smaller id', limits, async () => {
  for (let round = 0; round < 5; round++) {
    await using two = new TwoRegistries()
    two.tell(two.a)
    two.tell(two.b)
    const [a, b] = [stateOf(two.a)!.id, stateOf(two.b)!.id]
    const winner = Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 ? a : b
    const isDecided = () => inUse(two.a).join() === winner && inUse(two.b).join() === winner
    await eventually(isDecided, 'both have decided alike')
    for (const { events } of [two.a, two.b]) {
      assert.ok(!events.includes(`duplicate ${winner} 1`), events.join())
      assert.ok(!events.some((event) => event.startsWith('failed')), events.join())
    }
    for (const router of [two.a, two.b]) assert.equal(stateOf(router)!.link?.id, winner)
  }
})

test('a link that has served is dialled again at once, under the same id', limits, async () => {
  await using two = new TwoRegistries()
  two.tell(two.a)
  await eventually(isLinked(two.a), 'there is a link')
  const [id] = inUse(two.a)
  two.time.now = 60_000
  two.b.registry.closeLink(id!)
  await eventually(() => two.a.events.includes(`established ${id} 2`), 'it is there again')
  assert.deepEqual(two.a.events.slice(1), [`failed ${id} 1`, `established ${id} 2`])
})

test('a link that ends at once is not dialled in a circle', limits, async () => {
  await using two = new TwoRegistries()
  two.tell(two.a)
  await eventually(isLinked(two.a), 'there is a link')
  two.a.registry.closeLink(inUse(two.a)[0]!)
  await eventually(() => two.a.events.length === 2, 'it has ended')
  const state = stateOf(two.a)!
  assert.deepEqual([state.status, state.retryDelay, state.isDue(two.time.now)], ['linkFailed', 20, false])
})

test('failures wait longer each time; a router that is back is dialled at once', limits, async () => {
  await using two = new TwoRegistries()
  two.a.dialing = 'fails'
  two.tell(two.a)
  const state = stateOf(two.a)!
  await eventually(() => state.status === 'dialFailed', 'it failed')
  assert.equal(state.retryDelay, 20)
  two.tell(two.a, 'Unhealthy')
  two.time.now = 25
  await eventually(() => state.retryDelay === 60_000, 'it failed again, and waits for long')
  two.a.dialing = 'works'
  two.tell(two.a)
  await eventually(isLinked(two.a), 'there is a link')
  assert.equal(state.iteration, 3)
})

test(
  'a router that was cut off dials at once when it is back, but not those that are said to be gone',
  limits,
  async () => {
    await using two = new TwoRegistries()
    two.a.dialing = 'fails'
    two.tell(two.a)
    const state = () => [...two.a.registry.destinations()][0]!.states.values().next().value!
    await eventually(() => state().status === 'dialFailed', 'the dial has failed')
    two.a.dialing = 'works'
    two.tell(two.a, 'Unhealthy')
    two.a.registry.dialWaiting()
    assert.equal(state().status, 'dialFailed')
    two.tell(two.a)
    await eventually(() => state().status === 'established', 'said to be back, it is dialled')
    two.a.dialing = 'fails'
    for (const link of two.a.registry.links()) link.close()
    await eventually(() => state().status === 'dialFailed' || state().status === 'linkFailed', 'it is lost')
    two.time.now += 1
    two.a.dialing = 'works'
    two.a.registry.dialWaiting()
    await eventually(() => state().status === 'established', 'it is dialled before its time')
  },
)

test('a router cannot have the id of a link to another one', limits, async () => {
  await using two = new TwoRegistries()
  const link = await two.comesTo(two.a, 'l1')
  const thief = await two.comesTo(two.a, 'l1', 2, 'c')
  assert.equal(two.a.registry.get('l1'), link, 'whoever came first has it')
  assert.deepEqual([...two.a.registry.links()], [link])
  assert.equal(thief.isClosed, false, 'it is closed later')
  assert.deepEqual(two.a.events, ['established l1 1'])
})

test('what controllers may tell of other routers has a bound', limits, async () => {
  await using two = new TwoRegistries()
  two.a.dialing = 'fails'
  const listeners = Array.from({ length: 200 }, (_, at) => {
    return { address: `tls:127.0.0.1:${at + 1}`, protocol: 'tls', groups: ['default'], localBinding: `interface-${at}` }
  })
  for (let nth = 0; nth < 10_100; nth++) {
    two.a.registry.applyPeerState({
      id: `r${nth}`,
      version: 'v2.1.0',
      state: 'Healthy',
      listeners: nth === 0 ? listeners : [],
    })
  }
  const destinations = [...two.a.registry.destinations()]
  assert.equal(destinations.length, 10_000)
  assert.equal(destinations[0]!.states.size, 16)
})

test('a controller ends a link, but not by what it heard of an earlier one', limits, async () => {
  await using two = new TwoRegistries()
  const link = await two.comesTo(two.a, 'link1', 4)
  two.a.registry.applyFault('link1', 3)
  two.a.registry.applyFault('another', 0)
  assert.equal(link.isClosed, false)
  two.a.registry.applyFault('link1', 4)
  await link.closed
  await eventually(() => two.a.events.includes('failed link1 4'), 'it is told')
  const next = await two.comesTo(two.a, 'link1', 5)
  two.a.registry.applyFault('link1', 0)
  await next.closed
})

test('whoever comes again with the same link has lost it', limits, async () => {
  await using two = new TwoRegistries()
  const before = await two.comesTo(two.a, 'link1', 1)
  const after = await two.comesTo(two.a, 'link1', 2)
  await before.closed
  assert.equal(two.a.registry.get('link1'), after)
  assert.deepEqual(two.a.events, ['established link1 1', 'established link1 2'])
})

test('a newcomer gives way five times; the sixth evidently has a reason', limits, async () => {
  await using two = new TwoRegistries()
  await two.comesTo(two.a, 'aaa')
  for (let count = 0; count < 5; count++) await two.comesTo(two.a, `bbb${count}`)
  assert.deepEqual(inUse(two.a), ['aaa'])
  await two.comesTo(two.a, 'bbb5')
  assert.deepEqual(inUse(two.a), ['bbb5'])
  assert.deepEqual(two.a.events, ['established aaa 1', 'duplicate aaa 1', 'established bbb5 1'])
})

test('a router that is gone takes its links with it', limits, async () => {
  await using two = new TwoRegistries()
  two.tell(two.a)
  await eventually(isLinked(two.a), 'there is a link')
  two.tell(two.a, 'Removed')
  await eventually(() => inUse(two.a).length === 0, 'it is closed')
  assert.deepEqual([...two.a.registry.destinations()], [])
})

test('what does not fit any more is closed; another address is dialled', limits, async () => {
  await using two = new TwoRegistries()
  two.tell(two.a)
  await eventually(isLinked(two.a), 'there is a link')
  two.time.now = 60_000
  two.tell(two.a, 'Healthy', 'tls:127.0.0.1:2')
  const address = () => [...two.a.registry.links()][0]?.facts.dialAddress
  await eventually(() => address() === 'tls:127.0.0.1:2', 'the new address is dialled')
  two.a.registry.setDialers([{ ...testDialer, groups: ['others'] }])
  await eventually(() => inUse(two.a).length === 0, 'no dialer is in its group any more')
  two.a.registry.setDialers([testDialer])
  await eventually(isLinked(two.a), 'it is dialled again')
})

test('a router does not dial itself', limits, async () => {
  await using two = new TwoRegistries()
  const listeners = [{ address: 'tls:127.0.0.1:1', protocol: 'tls', groups: ['default'], localBinding: '' }]
  two.a.registry.applyPeerState({ id: 'a', version: 'v2.1.0', state: 'Healthy', listeners })
  assert.deepEqual([...two.a.registry.destinations()], [])
})
