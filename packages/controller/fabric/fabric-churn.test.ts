/** Everything at once, in any order: what is left when it is quiet again must fit together. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Seeded } from '../testing/seeded.ts'
import type { RouteMessage, RouteResult } from './route-message.ts'
import type { UnrouteTime } from './router-connection.ts'
import { routed, TestFabric, TestRouter } from './test-fabric.ts'

const ROUTERS = 7
const STEPS = 400

/** Keeps what it is told to carry, as a router does, and answers late, in any order, or not at all. */
class CarryingRouter extends TestRouter {
  readonly carried: Set<string>
  readonly #random: Seeded
  readonly #unanswered: (() => void)[] = []

  constructor(routerId: string, random: Seeded, before?: CarryingRouter) {
    super(routerId, { isResumed: before !== undefined })
    this.carried = before?.carried ?? new Set()
    this.#random = random
  }

  override sendRoute(route: RouteMessage): Promise<RouteResult> {
    const { promise, resolve } = Promise.withResolvers<RouteResult>()
    const fate = this.#random.below(20)
    const answer = () => {
      if (fate > 0) this.carried.add(route.circuitId)
      resolve(fate === 0 ? { isSuccess: false, code: this.#random.below(10), message: 'no' } : routed)
    }
    if (fate === 1) this.carried.add(route.circuitId)
    else this.#unanswered.push(answer)
    return promise
  }

  override sendUnroute(circuitId: string, _when: UnrouteTime): void {
    this.carried.delete(circuitId)
  }

  answerSome(): void {
    while (this.#unanswered.length > 0 && !this.#random.chance(4)) {
      this.#unanswered.splice(this.#random.below(this.#unanswered.length), 1)[0]!()
    }
  }
}

for (const seed of [1, 2, 3]) {
  test(`after any events routers carry the circuits there are, and no others (seed ${seed})`, async (t) => {
    await using net = new TestFabric(t, { createCircuitRetries: 3 })
    const random = new Seeded(seed)
    const { links, routers, circuits, terminatorCosts } = net.state
    const current = new Map<string, CarryingRouter>()
    const ids = Array.from({ length: ROUTERS }, (_, at) => `r${at}`)
    const connect = (id: string, before?: CarryingRouter) => {
      const router = new CarryingRouter(id, random, before)
      current.set(id, router)
      net.connect(router)
    }
    const lost = new Map<string, CarryingRouter>()
    const dialled: Promise<unknown>[] = []
    let iteration = 0
    for (const id of ids) {
      net.change((change) => change.create('routers', { name: id, kind: 'edge' }, { id }))
      connect(id)
    }
    net.service('s')
    for (const id of ids.slice(0, 3)) net.terminator(`t-${id}`, 's', current.get(id)!, { binding: 'transport' })

    for (let step = 0; step < STEPS; step++) {
      const id = random.pick(ids)
      const router = current.get(id)
      const kind = random.below(40)
      if (router === undefined) connect(id, random.chance(2) ? lost.get(id) : undefined)
      else if (kind === 0) {
        routers.disconnect(router)
        current.delete(id)
        lost.set(id, router)
      } else if (kind < 12) {
        const dest = random.pick(ids)
        const known = { id: `${id}-${dest}`, destRouterId: dest, protocol: 'tls', dialAddress: '' }
        if (dest !== id) links.report(router, { links: [{ ...known, iteration: ++iteration }], isFullRefresh: false })
      } else if (kind < 15) {
        const link = random.pick([...links.all()])
        if (link !== undefined) links.fault(router, { linkId: link.id, iteration: 0, isDuplicate: random.chance(3) })
      } else if (kind < 18) {
        const link = random.pick([...links.all()])
        if (link !== undefined) links.adjust(link.id, { isDown: random.chance(2), staticCost: random.below(90) })
      } else if (kind < 30) dialled.push(net.dial(router, 's', { clientId: id }).catch(() => undefined))
      else if (kind < 33) {
        const circuit = random.pick([...circuits.all()])
        if (circuit !== undefined) net.fabric.reports.ended(router, circuit.id)
      } else if (kind < 35) net.fabric.reports.notForwarded(router, router.carried, { isOwnerKnown: true })
      else if (kind < 36) net.pass(random.below(30_000))
      for (const each of current.values()) each.answerSome()
      if (random.chance(3)) await net.settle()
    }

    for (const id of ids) if (!current.has(id)) connect(id)
    for (let quiet = 0; quiet < 20 || net.fabric.pending.creations + net.fabric.pending.reroutes > 0; quiet++) {
      assert.ok(quiet < 500, 'it never becomes quiet')
      for (const router of current.values()) for (let times = 0; times < 8; times++) router.answerSome()
      net.pass(10_000)
      await net.settle()
    }
    await Promise.all(dialled)
    for (const router of current.values()) {
      net.fabric.reports.idle(
        router,
        [...router.carried].map((circuitId) => ({ circuitId, idle: 1 })),
      )
    }

    const carriedBy = (id: string) => [...current.get(id)!.carried].sort()
    const runningThrough = (id: string) =>
      circuits
        .find('router', id)
        .map((circuit) => circuit.id)
        .sort()
    for (const id of ids) assert.deepEqual(carriedBy(id), runningThrough(id), id)
    for (const { path } of circuits.all()) {
      for (const id of path.links) assert.ok(links.get(id)?.isUsable, `link ${id} is there`)
    }
    const created = net.events.filter(({ type }) => type === 'created').length
    const deleted = net.events.filter(({ type }) => type === 'deleted').length
    assert.equal(created - deleted, circuits.size)
    assert.ok(created > 20, `only ${created} circuits were made`)
    const counted = new Map(
      terminatorCosts.details().map(({ terminatorId, circuitCount }) => [terminatorId, circuitCount]),
    )
    for (const terminatorId of ids.slice(0, 3).map((id) => `t-${id}`)) {
      assert.equal(counted.get(terminatorId) ?? 0, circuits.find('terminator', terminatorId).length)
    }
  })
}
