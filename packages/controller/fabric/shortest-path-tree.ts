/**
 * Hot (bench/paths.ts): the cheapest paths from one router to all others, kept true under change.
 *
 * A change of a pair is only noted, and only where it can matter: the tree uses the pair and it became dearer, or it became
 * so cheap that a path should use it. The next question repairs what was noted. Routers behind a step that became dearer
 * lose their cost and are reached again from those that kept theirs; improvements spread from where they arise. Both use
 * what pairs cost at the time of the repair, so notes need no order and changes that took each other back cost nothing.
 */
import type { CostHeap } from './cost-heap.ts'
import type { Topology } from './topology.ts'

const NOBODY = -1
const UNKNOWN = 0
const LOST = 1
const KEPT = 2

export class ShortestPathTree {
  readonly #topology: Topology
  readonly #source: number
  /** Shared by all trees, and empty between two calls. */
  readonly #heap: CostHeap
  #costs = new Float64Array(0)
  #previous = new Int32Array(0)
  /** Two indexes for each noted pair. */
  #noted: number[] = []
  #isStale = true

  constructor(topology: Topology, heap: CostHeap, source: number) {
    this.#topology = topology
    this.#heap = heap
    this.#source = source
  }

  /** Notes that a pair changed. */
  pairChanged(a: number, b: number, linkCost: number): void {
    if (this.#isStale) return
    const length = this.#costs.length
    if (a >= length || b >= length) {
      this.#isStale = true
      return
    }
    if (!this.#matters(a, b, linkCost) && !this.#matters(b, a, linkCost)) return
    this.#noted.push(a, b)
    // Past that a repair takes as long as a new tree.
    if (this.#noted.length > length) this.#isStale = true
  }

  /** What the path to a router costs, Infinity where there is none. */
  costTo(target: number): number {
    this.#settle()
    return this.#costs[target]!
  }

  /** The routers of the path to one that can be reached, from the source on. */
  pathTo(target: number): number[] {
    this.#settle()
    const path: number[] = []
    for (let at = target; at !== NOBODY; at = this.#previous[at]!) path.push(at)
    return path.reverse()
  }

  #matters(from: number, to: number, linkCost: number): boolean {
    const cost = this.#costs[from]! + this.#stepCost(from, to, linkCost)
    return this.#previous[to] === from ? cost !== this.#costs[to] : cost < this.#costs[to]!
  }

  #stepCost(from: number, to: number, linkCost: number): number {
    const { isTraversed, routerCosts } = this.#topology
    return from === this.#source || isTraversed[from] === 1 ? linkCost + routerCosts[to]! : Number.POSITIVE_INFINITY
  }

  #settle(): void {
    if (this.#isStale) this.#grow()
    else if (this.#noted.length > 0) this.#repair()
  }

  #grow(): void {
    const { capacity } = this.#topology
    if (this.#costs.length !== capacity) {
      this.#costs = new Float64Array(capacity)
      this.#previous = new Int32Array(capacity)
    }
    this.#costs.fill(Number.POSITIVE_INFINITY)
    this.#previous.fill(NOBODY)
    this.#noted = []
    this.#isStale = false
    this.#reach(NOBODY, this.#source, 0)
    this.#spread()
  }

  #repair(): void {
    const noted = this.#noted
    this.#noted = []
    const fates = this.#fates(noted)
    if (fates !== undefined) this.#reachLost(fates)
    for (let at = 0; at < noted.length; at += 2) {
      this.#improve(noted[at]!, noted[at + 1]!)
      this.#improve(noted[at + 1]!, noted[at]!)
    }
    this.#spread()
  }

  /** Which routers lost the path they had; undefined where none did. */
  #fates(noted: readonly number[]): Uint8Array | undefined {
    let fates: Uint8Array | undefined
    for (let at = 0; at < noted.length; at++) {
      const to = noted[at]!
      const from = noted[at ^ 1]!
      if (this.#previous[to] !== from) continue
      const cost = this.#costs[from]! + this.#stepCost(from, to, this.#topology.linkCost(from, to))
      if (cost <= this.#costs[to]!) continue
      fates ??= new Uint8Array(this.#costs.length)
      fates[to] = LOST
    }
    if (fates !== undefined) for (let node = 0; node < fates.length; node++) this.#fate(fates, node)
    return fates
  }

  /** A router shares the fate of the first on its path whose fate is known. */
  #fate(fates: Uint8Array, node: number): void {
    let at = node
    while (fates[at] === UNKNOWN && this.#previous[at] !== NOBODY) at = this.#previous[at]!
    const fate = fates[at] === LOST ? LOST : KEPT
    for (let back = node; fates[back] === UNKNOWN; back = this.#previous[back]!) {
      fates[back] = fate
      if (back === at) break
    }
  }

  /** Reaches those that lost their path from those that did not, as far as one step goes. */
  #reachLost(fates: Uint8Array): void {
    const { steps, degrees, routerCosts } = this.#topology
    for (let node = 0; node < fates.length; node++) {
      if (fates[node] !== LOST) continue
      this.#costs[node] = Number.POSITIVE_INFINITY
      this.#previous[node] = NOBODY
    }
    for (let node = 0; node < fates.length; node++) {
      if (fates[node] !== LOST) continue
      const back = steps[node]!
      const end = 2 * degrees[node]!
      let best = Number.POSITIVE_INFINITY
      let previous = NOBODY
      for (let at = 0; at < end; at += 2) {
        const other = back[at]!
        if (fates[other] === LOST) continue
        const cost = this.#costs[other]! + this.#stepCost(other, node, back[at + 1]! - routerCosts[other]!)
        if (cost >= best) continue
        best = cost
        previous = other
      }
      if (previous !== NOBODY) this.#reach(previous, node, best)
    }
  }

  #improve(from: number, to: number): void {
    const cost = this.#costs[from]! + this.#stepCost(from, to, this.#topology.linkCost(from, to))
    if (cost < this.#costs[to]!) this.#reach(from, to, cost)
  }

  #reach(previous: number, node: number, cost: number): void {
    this.#costs[node] = cost
    this.#previous[node] = previous
    this.#heap.add(node, cost)
  }

  #spread(): void {
    const heap = this.#heap
    const costs = this.#costs
    const previous = this.#previous
    const { steps, degrees, isTraversed } = this.#topology
    while (!heap.isEmpty) {
      const cost = heap.leastCost
      const node = heap.take()
      if (cost > costs[node]! || (isTraversed[node] === 0 && node !== this.#source)) continue
      const next = steps[node]!
      const end = 2 * degrees[node]!
      for (let at = 0; at < end; at += 2) {
        const through = cost + next[at + 1]!
        const other = next[at]!
        if (through >= costs[other]!) continue
        costs[other] = through
        previous[other] = node
        heap.add(other, through)
      }
    }
  }
}
