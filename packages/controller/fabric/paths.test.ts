import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Seeded } from '../testing/seeded.ts'
import { Link } from './link.ts'
import { Paths } from './paths.ts'
import { Topology } from './topology.ts'

const MIN_ROUTER_COST = 10

describe('paths', () => {
  test('a router reaches itself at no cost while it is online', () => {
    const mesh = new Mesh()
    assert.equal(mesh.paths.between('a', 'a'), undefined)
    mesh.online('a')
    assert.deepEqual(mesh.paths.between('a', 'a'), { nodes: ['a'], links: [], cost: 0 })
  })

  test('each step costs its cheapest link and the router it leads to', () => {
    const mesh = new Mesh()
    mesh.online('a', { cost: 500 })
    mesh.online('b', { cost: 3 })
    mesh.online('c', { cost: 70 })
    mesh.link('dear', 'a', 'b', 40)
    mesh.link('cheap', 'b', 'a', 20)
    mesh.link('last', 'b', 'c', 5)
    const nodes = ['a', 'b', 'c']
    assert.deepEqual(mesh.paths.between('a', 'c'), { nodes, links: ['cheap', 'last'], cost: 20 + 10 + 5 + 70 })
    assert.equal(mesh.paths.cost('c', 'a'), 5 + 10 + 20 + 500)
  })

  test('a router without traversal is an end of paths and never between', () => {
    const mesh = new Mesh()
    for (const id of ['a', 'b', 'c', 'd']) mesh.online(id)
    mesh.link('ab', 'a', 'b', 1)
    mesh.link('bc', 'b', 'c', 1)
    mesh.link('ad', 'a', 'd', 100)
    mesh.link('dc', 'd', 'c', 100)
    assert.deepEqual(mesh.paths.between('a', 'c')?.nodes, ['a', 'b', 'c'])
    mesh.online('b', { noTraversal: true })
    assert.deepEqual(mesh.paths.between('a', 'c')?.nodes, ['a', 'd', 'c'])
    assert.deepEqual(mesh.paths.between('a', 'b')?.nodes, ['a', 'b'])
    assert.deepEqual(mesh.paths.between('b', 'c')?.nodes, ['b', 'c'])
  })

  test('an offline router and a link taken out of use carry nothing', () => {
    const mesh = new Mesh()
    for (const id of ['a', 'b', 'c']) mesh.online(id)
    mesh.link('ab', 'a', 'b', 1)
    mesh.link('bc', 'b', 'c', 1)
    mesh.offline('b')
    assert.equal(mesh.paths.between('a', 'c'), undefined)
    mesh.online('b')
    assert.equal(mesh.paths.between('a', 'c')?.cost, 22)
    mesh.setDown('bc', true)
    assert.equal(mesh.paths.between('a', 'c'), undefined)
    mesh.setDown('bc', false)
    assert.equal(mesh.paths.between('a', 'c')?.cost, 22)
  })

  for (const [seed, routers, links] of [
    [1, 6, 8],
    [2, 12, 24],
    [3, 12, 60],
    [4, 90, 200],
  ] as const) {
    test(`after any changes they are the cheapest there are (seed ${seed}, ${routers} routers)`, () => {
      const random = new Seeded(seed)
      const mesh = new Mesh()
      const ids = Array.from({ length: routers }, (_, at) => `r${at}`)
      for (const id of ids) if (!random.chance(4)) mesh.online(id)
      for (let round = 0; round < 150; round++) {
        for (let changes = random.below(8); changes >= 0; changes--) changeSomething(mesh, ids, links, random)
        for (let asked = 0; asked < 12; asked++) {
          const from = random.pick(ids)
          const to = random.pick(ids)
          mesh.check(from, to)
        }
      }
    })
  }
})

function changeSomething(mesh: Mesh, ids: readonly string[], links: number, random: Seeded): void {
  const id = random.pick(ids)
  const kind = random.below(20)
  if (kind === 0) mesh.offline(id)
  else if (kind < 3) mesh.online(id, { cost: random.below(60), noTraversal: random.chance(4) })
  else if (kind < 6 && mesh.links.size > 0) mesh.unlink(random.pick([...mesh.links.keys()]))
  else if (kind < 8 && mesh.links.size > 0) mesh.setDown(random.pick([...mesh.links.keys()]), random.chance(2))
  else if (kind < 14 && mesh.links.size > 0) mesh.setCost(random.pick([...mesh.links.keys()]), random.below(80))
  else if (mesh.links.size < links) {
    const other = random.pick(ids)
    if (other !== id) mesh.link(`${id}-${other}-${random.below(1_000_000)}`, id, other, random.below(80))
  }
}

interface Weight {
  readonly cost: number
  readonly noTraversal: boolean
}

class Mesh {
  readonly topology = new Topology({ minRouterCost: MIN_ROUTER_COST })
  readonly paths = new Paths(this.topology)
  readonly links = new Map<string, Link>()
  readonly #routers = new Map<string, Weight>()

  online(id: string, { cost = 0, noTraversal = false }: Partial<Weight> = {}): void {
    this.#routers.set(id, { cost, noTraversal })
    this.topology.setOnline(id, { cost, noTraversal })
  }

  offline(id: string): void {
    this.#routers.delete(id)
    this.topology.setOffline(id)
  }

  link(id: string, from: string, to: string, cost: number): void {
    const link = new Link(from, { id, destRouterId: to, protocol: 'tls', dialAddress: '', iteration: 1 }, 0)
    link.setStaticCost(cost)
    this.links.set(id, link)
    this.topology.addLink(link)
  }

  unlink(id: string): void {
    const link = this.links.get(id)!
    this.links.delete(id)
    this.topology.removeLink(link)
  }

  setDown(id: string, isDown: boolean): void {
    const link = this.links.get(id)!
    link.setDown(isDown)
    this.topology.linkChanged(link)
  }

  setCost(id: string, cost: number): void {
    const link = this.links.get(id)!
    link.setStaticCost(cost)
    this.topology.linkChanged(link)
  }

  /** What is found has the least cost there is, and costs what its links and routers cost. */
  check(from: string, to: string): void {
    const found = this.paths.between(from, to)
    assert.equal(found?.cost ?? Number.POSITIVE_INFINITY, this.#leastCost(from, to), `${from} to ${to}`)
    if (found === undefined) return
    assert.equal(found.nodes[0], from)
    assert.equal(found.nodes.at(-1), to)
    assert.equal(found.links.length, found.nodes.length - 1)
    let cost = 0
    for (const [at, linkId] of found.links.entries()) {
      const link = this.links.get(linkId)!
      const before: string = found.nodes[at]!
      const after: string = found.nodes[at + 1]!
      assert.ok(!link.isDown && link.isEnd(before) && link.otherEnd(before) === after)
      if (at > 0) assert.ok(!this.#routers.get(before)!.noTraversal)
      cost += link.cost + Math.max(this.#routers.get(after)!.cost, MIN_ROUTER_COST)
    }
    assert.equal(cost, found.cost)
  }

  /** Bellman and Ford: every link again and again, until nothing becomes cheaper. */
  #leastCost(from: string, to: string): number {
    if (!this.#routers.has(from) || !this.#routers.has(to)) return Number.POSITIVE_INFINITY
    const costs = new Map([[from, 0]])
    for (let isChanged = true; isChanged; ) {
      isChanged = false
      for (const link of this.links.values()) {
        if (link.isDown) continue
        for (const a of [link.sourceRouterId, link.destRouterId]) {
          const b = link.otherEnd(a)
          const weight = this.#routers.get(b)
          const cost = costs.get(a)
          if (cost === undefined || weight === undefined || (a !== from && this.#routers.get(a)!.noTraversal)) continue
          const through = cost + link.cost + Math.max(weight.cost, MIN_ROUTER_COST)
          if (through >= (costs.get(b) ?? Number.POSITIVE_INFINITY)) continue
          costs.set(b, through)
          isChanged = true
        }
      }
    }
    return costs.get(to) ?? Number.POSITIVE_INFINITY
  }
}
