import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { TableRows } from '../state/row.ts'
import { routerFacts, TestFabric, TestRouter } from './test-fabric.ts'

/** A circuit over a, b, c, and d that has nothing to do with it. */
async function running(test: TestContext, service: Partial<TableRows['services']> = {}) {
  const net = new TestFabric(test)
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => net.router(id)) as [
    TestRouter,
    TestRouter,
    TestRouter,
    TestRouter,
  ]
  net.link(a, b)
  net.link(b, c)
  net.service('s', service)
  net.terminator('t', 's', c)
  const { id } = await net.dial(a, 's')
  const isGone = () => net.state.circuits.get(id) === undefined
  return { net, a, b, c, d, id, isGone, reports: net.fabric.reports }
}

describe('reports of circuits', () => {
  test('an end that closes ends the circuit, when its bytes are through', async (t) => {
    const { net, a, b, c, id, isGone, reports } = await running(t)
    await using _ = net
    reports.ended(c, id)
    assert.equal(isGone(), true)
    for (const { unroutes } of [a, b, c]) assert.deepEqual(unroutes, [{ circuitId: id, when: 'when idle' }])
    reports.ended(a, id)
    assert.deepEqual(
      net.events.map(({ type }) => type),
      ['created', 'deleted'],
    )
    assert.equal(net.state.terminatorCosts.dynamicCost('t'), 0)
  })

  test('nobody but an end can say so, and only by the connection it has', async (t) => {
    const { net, a, b, d, id, isGone, reports } = await running(t)
    await using _ = net
    reports.ended(d, id)
    reports.ended(b, id)
    net.state.routers.connect(new TestRouter('a', { isResumed: true }), routerFacts)
    reports.ended(a, id)
    assert.equal(isGone(), false)
  })

  test('bytes that could not be forwarded move a circuit, or take from the router what is not its own', async (t) => {
    const { net, b, d, id, reports } = await running(t)
    await using _ = net
    b.routes.length = 0
    reports.notForwarded(b, [id, 'unknown'], { isOwnerKnown: true })
    reports.notForwarded(d, [id, 'unknown'], { isOwnerKnown: false })
    await net.settle()
    assert.equal(b.routes.length, 1)
    assert.deepEqual(b.unroutes, [{ circuitId: 'unknown', when: 'now' }])
    assert.deepEqual(d.unroutes, [])
    reports.notForwarded(d, [id], { isOwnerKnown: true })
    assert.deepEqual(d.unroutes, [{ circuitId: id, when: 'now' }])
  })

  test('idle circuits that are unknown, or elsewhere, are taken from the router', async (t) => {
    const { net, b, d, id, isGone, reports } = await running(t)
    await using _ = net
    reports.idle(b, [
      { circuitId: id, idle: 60_000 },
      { circuitId: 'unknown', idle: undefined },
    ])
    reports.idle(d, [{ circuitId: id, idle: 60_000 }])
    assert.deepEqual(b.unroutes, [{ circuitId: 'unknown', when: 'now' }])
    assert.deepEqual(d.unroutes, [{ circuitId: id, when: 'now' }])
    assert.equal(isGone(), false)
  })

  test('a circuit that is being made is not an unknown one', async (t) => {
    const { net, a, reports } = await running(t)
    await using _ = net
    const dialled = net.dial(a, 's', { circuitId: 'making' })
    reports.idle(a, [{ circuitId: 'making', idle: 60_000 }])
    reports.routedLate(a, 'making', 0)
    assert.deepEqual(a.unroutes, [])
    await dialled
  })

  const idleCases = [
    { what: 'an end, after what the service allows', at: 'c', idle: 90_000, isEnded: true },
    { what: 'an end, before', at: 'c', idle: 89_999, isEnded: false },
    { what: 'a router between', at: 'b', idle: 200_000, isEnded: false },
    { what: 'an end that does not say for how long', at: 'c', idle: undefined, isEnded: false },
  ] as const
  for (const { what, at, idle, isEnded } of idleCases) {
    test(`idle at ${what}: ${isEnded ? 'ends' : 'stays'}`, async (t) => {
      const { net, b, c, id, isGone, reports } = await running(t, { maxIdleTimeMillis: 90_000 })
      await using _ = net
      reports.idle(at === 'b' ? b : c, [{ circuitId: id, idle }])
      assert.equal(isGone(), isEnded)
    })
  }
})
