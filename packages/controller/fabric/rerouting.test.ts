import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Circuit } from './circuit.ts'
import { REROUTE_ATTEMPT, type RouteResult } from './route-message.ts'
import { routed, TestFabric, TestRouter } from './test-fabric.ts'

const never = () => new Promise<RouteResult>(() => undefined)

/** A circuit over a, b, c, with d as the other way. */
async function running(test: TestContext) {
  const net = new TestFabric(test)
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => net.router(id)) as [
    TestRouter,
    TestRouter,
    TestRouter,
    TestRouter,
  ]
  net.link(a, b)
  net.link(b, c)
  net.link(a, d, { cost: 50 })
  net.link(d, c, { cost: 50 })
  net.service('s')
  net.terminator('t', 's', c)
  const circuit = await net.dial(a, 's')
  const now = (): Circuit | undefined => net.state.circuits.get(circuit.id)
  const told: string[] = []
  for (const router of [a, b, c, d]) {
    router.routes.length = 0
    router.answer = () => {
      told.push(router.routerId)
      return routed
    }
  }
  return { net, a, b, c, d, circuit, now, told }
}

const fault = { iteration: 0, isDuplicate: false }

describe('rerouting', () => {
  test('after the fault of a link the circuit takes another way between the same ends', async (t) => {
    const { net, a, b, c, d, circuit, now, told } = await running(t)
    await using _ = net
    net.state.links.fault(b, { ...fault, linkId: 'b-c' })
    await net.settle()
    const { path } = now()!
    assert.deepEqual(
      [path.nodes, path.links],
      [
        ['a', 'd', 'c'],
        ['a-d', 'd-c'],
      ],
    )
    assert.deepEqual([path.ingressId, path.egressId], [circuit.path.ingressId, circuit.path.egressId])
    assert.deepEqual(told, ['d', 'a', 'c'], 'the way is laid before the ends use it')
    for (const { routes } of [a, c, d]) {
      assert.equal(routes[0]?.attempt, REROUTE_ATTEMPT)
      assert.equal(routes[0]?.egress, undefined)
    }
    assert.deepEqual(b.unroutes, [{ circuitId: circuit.id, when: 'now' }])
    assert.deepEqual(
      [a, c, d].map(({ unroutes }) => unroutes.length),
      [0, 0, 0],
    )
    assert.deepEqual(
      net.events.map(({ type }) => type),
      ['created', 'updated'],
    )
    assert.deepEqual(net.state.circuits.find('link', 'b-c'), [])
    assert.equal(net.state.circuits.find('link', 'd-c').length, 1)
  })

  const triggers: readonly [string, (net: TestFabric, routers: { a: TestRouter; b: TestRouter }) => void][] = [
    ['a router between its ends leaves', (net, { b }) => net.state.routers.disconnect(b)],
    ['a link is taken out of use', (net) => net.state.links.adjust('a-b', { isDown: true })],
    ['a link is deleted', (net) => net.state.links.remove('a-b')],
    ['a link is not listed any more', (net, { b }) => net.state.links.report(b, { links: [], isFullRefresh: true })],
    [
      'a link is a duplicate',
      (net, { a }) => net.state.links.fault(a, { linkId: 'a-b', iteration: 0, isDuplicate: true }),
    ],
  ]
  for (const [what, trigger] of triggers) {
    test(`it moves when ${what}`, async (t) => {
      const { net, a, b, now } = await running(t)
      await using _ = net
      trigger(net, { a, b })
      await net.settle()
      assert.deepEqual(now()?.path.nodes, ['a', 'd', 'c'])
    })
  }

  test('where no way is left it ends', async (t) => {
    const { net, a, b, c, d, now } = await running(t)
    await using _ = net
    net.state.routers.disconnect(d)
    net.state.links.fault(b, { ...fault, linkId: 'b-c' })
    await net.settle()
    assert.equal(now(), undefined)
    assert.deepEqual(
      [a, b, c].map(({ unroutes }) => unroutes.map(({ when }) => when)),
      [['now'], ['now'], ['now']],
    )
    assert.deepEqual(
      net.events.map(({ type }) => type),
      ['created', 'deleted'],
    )
    assert.equal(net.state.terminatorCosts.dynamicCost('t'), 0)
  })

  test('a router between that only lost its channel costs nothing where there is no other way', async (t) => {
    const { net, b, d, now } = await running(t)
    await using _ = net
    net.state.routers.disconnect(d)
    net.state.routers.disconnect(b)
    await net.settle()
    assert.deepEqual(now()?.path.nodes, ['a', 'b', 'c'])
    net.pass(20_000)
    await net.settle()
    assert.equal(now(), undefined, 'it did not come back')
  })

  test('a router that refuses or says nothing is tried twice, then the circuit ends everywhere', async (t) => {
    const { net, a, b, c, d, now } = await running(t)
    await using _ = net
    d.answer = () => ({ isSuccess: false, code: 0, message: 'no' })
    net.state.links.fault(b, { ...fault, linkId: 'b-c' })
    await net.settle()
    assert.equal(d.routes.length, 2)
    assert.equal(now(), undefined)
    for (const { unroutes } of [a, b, c, d]) assert.ok(unroutes.some(({ when }) => when === 'now'))
    assert.equal(net.fabric.pending.reroutes, 0)
  })

  test('a silent router costs the time of two routes', async (t) => {
    const { net, b, d, now } = await running(t)
    await using _ = net
    d.answer = never
    net.state.links.fault(b, { ...fault, linkId: 'b-c' })
    for (const left of [2, 1]) {
      await net.settle()
      assert.equal(d.routes.length, 3 - left)
      net.pass(10_000)
    }
    await net.settle()
    assert.equal(now(), undefined)
  })

  test('it moves once at a time, and again for what happens meanwhile', async (t) => {
    const { net, a, b, d, now } = await running(t)
    await using _ = net
    net.link(a, b, { id: 'second', cost: 200 })
    const held = Promise.withResolvers<RouteResult>()
    d.answer = () => held.promise
    net.state.links.fault(a, { ...fault, linkId: 'a-b' })
    await net.settle()
    net.state.links.fault(d, { ...fault, linkId: 'd-c' })
    net.state.links.fault(a, { ...fault, linkId: 'a-d' })
    await net.settle()
    assert.equal(d.routes.length, 1)
    held.resolve(routed)
    await net.settle()
    assert.deepEqual(now()?.path.links, ['second', 'b-c'])
    assert.ok(d.unroutes.length > 0)
  })

  test('one that ends while it moves is forgotten by all', async (t) => {
    const { net, a, b, d, circuit, now } = await running(t)
    await using _ = net
    const held = Promise.withResolvers<RouteResult>()
    d.answer = () => held.promise
    net.state.links.fault(b, { ...fault, linkId: 'b-c' })
    await net.settle()
    net.fabric.removal.remove(circuit.id, { when: 'now', reason: 'test' })
    held.resolve(routed)
    await net.settle()
    assert.equal(now(), undefined)
    assert.ok(d.unroutes.length > 0 && b.unroutes.length > 0 && a.unroutes.length > 0)
    assert.equal(a.routes.length, 0, 'nobody is told of the new way any more')
  })

  describe('a router at an end that leaves', () => {
    test('finds its circuits when it comes back in time', async (t) => {
      const { net, c, now } = await running(t)
      await using _ = net
      net.state.routers.disconnect(c)
      net.pass(19_999)
      net.connect(new TestRouter('c', { isResumed: true }))
      net.pass(60_000)
      await net.settle()
      assert.deepEqual(now()?.path.nodes, ['a', 'b', 'c'])
    })

    test('loses them when it does not', async (t) => {
      const { net, a, c, now } = await running(t)
      await using _ = net
      net.state.routers.disconnect(c)
      net.pass(20_000)
      assert.equal(now(), undefined)
      assert.equal(a.unroutes.at(-1)?.when, 'now')
    })

    test('loses them when it was started anew', async (t) => {
      const { net, c, now } = await running(t)
      await using _ = net
      net.state.routers.disconnect(c)
      net.connect(new TestRouter('c'))
      assert.equal(now(), undefined)
    })

    test('loses them when its neighbour says that the link broke', async (t) => {
      const { net, a, b, now } = await running(t)
      await using _ = net
      net.state.routers.disconnect(a)
      assert.equal(net.state.links.get('a-b'), undefined)
      net.state.links.fault(net.state.routers.get('d')!.connection, { ...fault, linkId: 'a-b' })
      await net.settle()
      assert.notEqual(now(), undefined, 'who is not on the path cannot know')
      net.state.links.fault(b, { ...fault, linkId: 'a-b' })
      await net.settle()
      assert.equal(now(), undefined)
    })
  })
})
