import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FabricState } from './fabric-state.ts'
import type { ReportedLink } from './link.ts'
import { defaultNetworkOptions } from './network-options.ts'
import { handClock, routerFacts, TestRouter } from './test-fabric.ts'

function start() {
  const state = new FabricState({ clock: handClock() }, defaultNetworkOptions)
  const [a, b, c] = ['a', 'b', 'c'].map((id) => {
    const router = new TestRouter(id)
    state.routers.connect(router, routerFacts)
    state.topology.setOnline(id, { cost: 0, noTraversal: false })
    return router
  }) as [TestRouter, TestRouter, TestRouter]
  const seen: string[] = []
  state.links.follow((event) => {
    const id = 'link' in event ? event.link.id : event.linkId
    seen.push(event.type === 'removed' ? `${id} ${event.why}` : `${id} ${event.type}`)
  })
  const report = (from: TestRouter, links: readonly ReportedLink[], isFullRefresh = false) =>
    state.links.report(from, { links, isFullRefresh })
  return { state, links: state.links, a, b, c, seen, report }
}

function link(id: string, destRouterId: string, facts: Partial<ReportedLink> = {}): ReportedLink {
  return { id, destRouterId, protocol: 'tls', dialAddress: 'tls:b:1', iteration: 1, ...facts }
}

describe('links', () => {
  test('start with a static cost of one and an initial latency at both ends', () => {
    const { links, a, seen, report } = start()
    report(a, [link('l', 'b')])
    const { cost, staticCost, sourceLatency, destLatency, isUsable } = links.get('l')!
    assert.deepEqual({ cost, staticCost, isUsable }, { cost: 130_001, staticCost: 1, isUsable: true })
    assert.deepEqual([sourceLatency, destLatency], [65e9, 65e9])
    assert.deepEqual(seen, ['l new'])
  })

  test('are known by their iteration: an equal or lower one changes nothing, a higher one is another link', () => {
    const { links, a, seen, report } = start()
    report(a, [link('l', 'b', { iteration: 2 })])
    links.adjust('l', { staticCost: 7 })
    report(a, [link('l', 'b', { iteration: 2 }), link('l', 'b', { iteration: 1 })])
    assert.equal(links.get('l')?.staticCost, 7)
    report(a, [link('l', 'b', { iteration: 3 })])
    assert.deepEqual([links.get('l')?.iteration, links.get('l')?.staticCost, links.size], [3, 1, 1])
    assert.deepEqual(seen, ['l new', 'l changed', 'l known', 'l known', 'l replaced', 'l new'])
  })

  test('a full refresh ends those of the router that it does not list, and no others', () => {
    const { links, a, b, seen, report } = start()
    report(a, [link('one', 'b'), link('two', 'c')])
    report(b, [link('other', 'a')])
    report(a, [link('two', 'c')], true)
    assert.deepEqual([...links.all()].map(({ id }) => id).sort(), ['other', 'two'])
    assert.ok(seen.includes('one fault'))
    report(a, [], true)
    assert.deepEqual(
      [...links.all()].map(({ id }) => id),
      ['other'],
    )
  })

  test('a destination may be offline, and carries as soon as it is not', () => {
    const { state, links, a, seen, report } = start()
    report(a, [link('l', 'later')])
    assert.deepEqual(seen, ['l destination offline', 'l new'])
    assert.equal(state.paths.cost('a', 'later'), Number.POSITIVE_INFINITY)
    state.topology.setOnline('later', { cost: 0, noTraversal: false })
    assert.equal(state.paths.cost('a', 'later'), links.get('l')!.cost + 10)
  })

  test('only the dialer reports them, over the connection it has', () => {
    const { state, links, a, b, report } = start()
    report(a, [link('l', 'b')])
    assert.deepEqual(report(b, [link('l', 'c', { iteration: 9 }), link('self', 'b')]), ['l', 'self'])
    assert.equal(links.get('l')?.destRouterId, 'b')
    state.routers.connect(new TestRouter('a'), routerFacts)
    report(a, [link('late', 'b')])
    report(a, [], true)
    assert.deepEqual(
      [...links.all()].map(({ id }) => id),
      ['l'],
    )
  })

  test('the newer state of their connections counts, for the iteration it is about', () => {
    const { links, a, b, report } = start()
    const state = (stateIteration: number, type: string) => {
      return { stateIteration, conns: [{ type, localAddr: '', remoteAddr: '' }] }
    }
    report(a, [link('l', 'b', { iteration: 2, connState: state(2, 'first') })])
    const typeNow = () => links.get('l')!.connections.map(({ type }) => type)
    links.connectionsChanged(a, 'l', 2, state(1, 'older'))
    links.connectionsChanged(a, 'l', 1, state(9, 'of another dial'))
    links.connectionsChanged(b, 'l', 2, state(9, 'of the wrong end'))
    assert.deepEqual(typeNow(), ['first'])
    links.connectionsChanged(a, 'l', 2, state(3, 'newer'))
    assert.deepEqual(typeNow(), ['newer'])
  })

  const faults = [
    { what: 'its dialer', by: 0, iteration: 2, isDuplicate: false, told: 'b', isGone: true },
    { what: 'its acceptor', by: 1, iteration: 0, isDuplicate: false, told: 'a', isGone: true },
    { what: 'an older dial', by: 0, iteration: 1, isDuplicate: false, told: undefined, isGone: false },
    { what: 'a router that is no end', by: 2, iteration: 0, isDuplicate: false, told: undefined, isGone: false },
    { what: 'a duplicate', by: 0, iteration: 2, isDuplicate: true, told: undefined, isGone: true },
  ] as const
  for (const { what, by, iteration, isDuplicate, told, isGone } of faults) {
    test(`a fault by ${what} ${isGone ? 'removes it' : 'changes nothing'}`, () => {
      const { links, a, b, c, report } = start()
      report(a, [link('l', 'b', { iteration: 2 })])
      links.fault([a, b, c][by]!, { linkId: 'l', iteration, isDuplicate })
      assert.equal(links.get('l') === undefined, isGone)
      for (const router of [a, b, c]) {
        assert.deepEqual(router.linkFaults, router.routerId === told ? [{ linkId: 'l', iteration }] : [])
      }
    })
  }

  test('a fault of a link that was down is not passed on', () => {
    const { links, a, b, report } = start()
    report(a, [link('l', 'b')])
    links.adjust('l', { isDown: true })
    links.fault(a, { linkId: 'l', iteration: 1, isDuplicate: false })
    assert.equal(links.get('l'), undefined)
    assert.deepEqual(b.linkFaults, [])
  })

  test('a fault of an unknown link is told', () => {
    const { links, a, seen } = start()
    links.fault(a, { linkId: 'nowhere', iteration: 0, isDuplicate: false })
    assert.deepEqual(seen, ['nowhere unknown fault'])
  })

  test('each end measures for itself, and nobody else for it', () => {
    const { links, a, b, c, report } = start()
    report(a, [link('l', 'b')])
    links.measured(a, [['l', 12_999_999]])
    links.measured(b, [['l', 3_000_000]])
    links.measured(c, [['l', 0]])
    links.measured(a, [['nowhere', 0]])
    assert.equal(links.get('l')?.cost, 1 + 12 + 3)
    for (const nanoseconds of [Number.NaN, -1]) links.measured(a, [['l', nanoseconds]])
    assert.equal(links.get('l')?.cost, 1 + 12 + 3)
    links.measured(a, [['l', 1e300]])
    assert.equal(links.get('l')?.cost, 1_000_000_000)
  })

  test('an administrator takes one out of use, makes it dearer, and deletes it', () => {
    const { state, links, a, b, c, report } = start()
    report(a, [link('l', 'b')])
    links.measured(a, [['l', 0]])
    links.adjust('l', { staticCost: 50 })
    assert.equal(state.paths.cost('a', 'b'), 50 + 65_000 + 10)
    links.adjust('l', { isDown: true })
    assert.equal(state.paths.between('a', 'b'), undefined)
    links.remove('l')
    assert.equal(links.size, 0)
    for (const router of [a, b]) assert.deepEqual(router.linkFaults, [{ linkId: 'l', iteration: 1 }])
    links.remove('unknown')
    for (const router of [a, b, c]) assert.deepEqual(router.linkFaults.at(-1), { linkId: 'unknown', iteration: 0 })
  })

  test('those that a router dialled go with it, those that it accepted stay', () => {
    const { links, a, b, seen, report } = start()
    report(a, [link('dialled', 'b')])
    report(b, [link('accepted', 'a')])
    assert.deepEqual(
      links.removeOfSource('a').map(({ id }) => id),
      ['dialled'],
    )
    assert.deepEqual(
      links.ofRouter('a').map(({ id }) => id),
      ['accepted'],
    )
    assert.equal(seen.at(-1), 'dialled source offline')
  })
})
