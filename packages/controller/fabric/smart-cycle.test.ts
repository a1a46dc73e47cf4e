import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { TestFabric, type TestRouter } from './test-fabric.ts'

/** Several circuits over a, b, c, with d as the other way. */
async function running(test: TestContext, count: number, smart: Partial<TestSmart> = {}) {
  const options = { smart: { rerouteFraction: 0.5, rerouteCap: 4, minCostDelta: 15, ...smart } }
  const net = new TestFabric(test, options)
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => net.router(id)) as [
    TestRouter,
    TestRouter,
    TestRouter,
    TestRouter,
  ]
  net.link(a, b)
  net.link(b, c)
  net.link(a, d, { cost: 30 })
  net.link(d, c, { cost: 30 })
  net.service('s')
  net.terminator('t', 's', c)
  for (let at = 0; at < count; at++) await net.dial(a, 's')
  const cycle = async () => {
    net.pass(60_000)
    await net.settle()
    return [...net.state.circuits.all()].filter(({ path }) => path.nodes[1] === 'd').length
  }
  return { net, a, b, c, d, cycle }
}

interface TestSmart {
  readonly rerouteFraction: number
  readonly rerouteCap: number
  readonly minCostDelta: number
}

describe('the smart cycle', () => {
  test('moves a part of the circuits for which there is a clearly cheaper way', async (t) => {
    const { net, a, cycle } = await running(t, 6)
    await using _ = net
    assert.equal(await cycle(), 0)
    net.state.links.measured(a, [['a-b', 300e6]])
    assert.equal(await cycle(), 3)
    assert.equal(await cycle(), 6)
  })

  test('moves no more than the cap at once, and at least one', async (t) => {
    const { net, a, cycle } = await running(t, 6, { rerouteFraction: 1, rerouteCap: 2 })
    await using _ = net
    net.state.links.measured(a, [['a-b', 300e6]])
    assert.equal(await cycle(), 2)
  })

  test('leaves circuits alone for a small gain', async (t) => {
    const { net, a, cycle } = await running(t, 2, { rerouteFraction: 1 })
    await using _ = net
    // The ways cost 20 and 60 apart from what both have.
    net.state.links.measured(a, [['a-b', 64e6]])
    assert.equal(await cycle(), 0)
    net.state.links.measured(a, [['a-b', 65e6]])
    assert.equal(await cycle(), 2)
  })

  test('counts what routers cost', async (t) => {
    const { net, cycle } = await running(t, 2, { rerouteFraction: 1 })
    await using _ = net
    net.change((change) => change.update('routers', 'b', { cost: 1_000 }))
    assert.equal(await cycle(), 2)
  })
})
