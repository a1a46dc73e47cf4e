/**
 * Hot (bench/paths.ts): the mesh as numbers. Routers have indexes, and each router has the list of those it reaches over a
 * usable link, with what the step to each costs. A link's change touches the one pair it belongs to.
 *
 * A step from one router to the next costs the cheapest link between them and the router it leads to. A router without
 * traversal can be the first or the last of a path and never stands between.
 */
import type { Link } from './link.ts'
import type { LinkGraph } from './links.ts'

export interface RouterWeight {
  readonly cost: number
  readonly noTraversal: boolean
}

/** Of whom paths depend on a pair: told after it changed. */
export interface TopologyFollower {
  /** What the cheapest link between two routers costs now, Infinity where there is none. */
  pairChanged(a: number, b: number, linkCost: number): void
  /** Nothing refers to the index any more; another router may get it. */
  indexFreed(index: number): void
}

interface Pair {
  readonly a: number
  readonly b: number
  readonly links: Link[]
  best: Link | undefined
  /** What followers were told last. */
  cost: number
  /** Where it stands in the lists of both routers while it has a usable link. */
  atA: number
  atB: number
}

const MOST_ROUTERS = 2 ** 20
const FIRST_CAPACITY = 64
const FIRST_STEPS = 8

export class Topology implements LinkGraph {
  readonly #minRouterCost: number
  readonly #indexes = new Map<string, number>()
  readonly #ids: (string | undefined)[] = []
  readonly #free: number[] = []
  readonly #online = new Set<string>()
  readonly #pairs = new Map<number, Pair>()
  readonly #pairCount: number[] = []
  readonly #pairsAt: Pair[][] = []
  #follower: TopologyFollower | undefined

  /**
   * By index: the routers that can be reached in one step, each followed by what the step costs. Side by side in one array
   * they are gone through twice as fast as in two lists. Only as many count as `degrees` says.
   */
  readonly steps: Int32Array[] = []
  readonly degrees: number[] = []
  /** By index: what a step to the router costs besides the link, and whether paths may lead on from it. */
  routerCosts = new Float64Array(FIRST_CAPACITY)
  isTraversed = new Uint8Array(FIRST_CAPACITY)

  constructor({ minRouterCost }: { readonly minRouterCost: number }) {
    this.#minRouterCost = minRouterCost
  }

  /** All indexes are below. */
  get capacity(): number {
    return this.routerCosts.length
  }

  follow(follower: TopologyFollower): void {
    this.#follower = follower
  }

  indexOf(routerId: string): number | undefined {
    return this.#online.has(routerId) ? this.#indexes.get(routerId) : undefined
  }

  idAt(index: number): string {
    return this.#ids[index]!
  }

  /** The cheapest usable link between two routers that are online. */
  bestLink(a: number, b: number): Link | undefined {
    return this.#pairs.get(pairKey(a, b))?.best
  }

  linkCost(a: number, b: number): number {
    return this.bestLink(a, b)?.cost ?? Number.POSITIVE_INFINITY
  }

  /** What a router adds to the cost of a path; what it cost last where it is not online. */
  routerCost(routerId: string): number {
    const index = this.#indexes.get(routerId)
    return index === undefined ? this.#minRouterCost : this.routerCosts[index]!
  }

  /** A router is connected, or weighs differently from now on. */
  setOnline(routerId: string, { cost, noTraversal }: RouterWeight): void {
    const index = this.#place(routerId)
    const isNew = !this.#online.has(routerId)
    const routerCost = Math.max(cost, this.#minRouterCost)
    const isTraversed = noTraversal ? 0 : 1
    if (!isNew && this.routerCosts[index] === routerCost && this.isTraversed[index] === isTraversed) return
    this.routerCosts[index] = routerCost
    this.isTraversed[index] = isTraversed
    this.#online.add(routerId)
    this.#refreshAll(index, !isNew)
  }

  setOffline(routerId: string): void {
    if (!this.#online.delete(routerId)) return
    const index = this.#indexes.get(routerId)!
    this.#refreshAll(index, false)
    this.#release(index)
  }

  addLink(link: Link): void {
    const a = this.#place(link.sourceRouterId)
    const b = this.#place(link.destRouterId)
    const key = pairKey(a, b)
    let pair = this.#pairs.get(key)
    if (pair === undefined) {
      pair = { a, b, links: [], best: undefined, cost: Number.POSITIVE_INFINITY, atA: -1, atB: -1 }
      this.#pairs.set(key, pair)
      this.#pairCount[a]!++
      this.#pairCount[b]!++
    }
    pair.links.push(link)
    this.#refresh(pair, false)
  }

  removeLink(link: Link): void {
    const a = this.#indexes.get(link.sourceRouterId)
    const b = this.#indexes.get(link.destRouterId)
    const pair = a === undefined || b === undefined ? undefined : this.#pairs.get(pairKey(a, b))
    const at = pair?.links.indexOf(link) ?? -1
    if (pair === undefined || at < 0) return
    pair.links.splice(at, 1)
    this.#refresh(pair, false)
    if (pair.links.length > 0) return
    this.#pairs.delete(pairKey(pair.a, pair.b))
    this.#pairCount[pair.a]!--
    this.#pairCount[pair.b]!--
    this.#release(pair.a)
    this.#release(pair.b)
  }

  linkChanged(link: Link): void {
    const a = this.#indexes.get(link.sourceRouterId)
    const b = this.#indexes.get(link.destRouterId)
    const pair = a === undefined || b === undefined ? undefined : this.#pairs.get(pairKey(a, b))
    if (pair !== undefined) this.#refresh(pair, false)
  }

  /** Looks again at every pair of a router. */
  #refreshAll(index: number, isAlwaysTold: boolean): void {
    // What is usable now stands in the list, what was not has to be searched for.
    const pairs = this.#online.has(this.#ids[index]!) ? this.#everyPairOf(index) : [...this.#pairsAt[index]!]
    for (const pair of pairs) this.#refresh(pair, isAlwaysTold)
  }

  *#everyPairOf(index: number): Generator<Pair> {
    if (this.#pairCount[index] === 0) return
    for (let other = 0; other < this.#ids.length; other++) {
      const pair = this.#pairs.get(pairKey(index, other))
      if (pair !== undefined) yield pair
    }
  }

  #refresh(pair: Pair, isAlwaysTold: boolean): void {
    pair.best = this.#cheapest(pair)
    const cost = pair.best?.cost ?? Number.POSITIVE_INFINITY
    if (cost === pair.cost && !isAlwaysTold) return
    pair.cost = cost
    if (pair.best === undefined) this.#unlist(pair)
    else this.#list(pair, cost)
    this.#follower?.pairChanged(pair.a, pair.b, cost)
  }

  #cheapest({ a, b, links, best: former }: Pair): Link | undefined {
    if (!this.#online.has(this.#ids[a]!) || !this.#online.has(this.#ids[b]!)) return undefined
    let best = former?.isUsable && links.includes(former) ? former : undefined
    for (const link of links) {
      if (link.isUsable && (best === undefined || link.cost < best.cost)) best = link
    }
    return best
  }

  #list(pair: Pair, cost: number): void {
    const { a, b } = pair
    if (pair.atA < 0) {
      pair.atA = this.#addStep(a, b, pair)
      pair.atB = this.#addStep(b, a, pair)
    }
    this.steps[a]![2 * pair.atA + 1] = cost + this.routerCosts[b]!
    this.steps[b]![2 * pair.atB + 1] = cost + this.routerCosts[a]!
  }

  /** Answers where it stands. */
  #addStep(from: number, to: number, pair: Pair): number {
    const at = this.degrees[from]!
    this.degrees[from] = at + 1
    let steps = this.steps[from]!
    if (2 * at === steps.length) {
      steps = new Int32Array(4 * at)
      steps.set(this.steps[from]!)
      this.steps[from] = steps
    }
    steps[2 * at] = to
    this.#pairsAt[from]![at] = pair
    return at
  }

  #unlist(pair: Pair): void {
    if (pair.atA < 0) return
    this.#takeStep(pair.a, pair.atA)
    this.#takeStep(pair.b, pair.atB)
    pair.atA = -1
    pair.atB = -1
  }

  /** The last of a list takes the place of the one that goes. */
  #takeStep(index: number, at: number): void {
    const pairs = this.#pairsAt[index]!
    const moved = pairs.pop()!
    const last = pairs.length
    this.degrees[index] = last
    if (last === at) return
    if (moved.a === index) moved.atA = at
    else moved.atB = at
    pairs[at] = moved
    this.steps[index]!.copyWithin(2 * at, 2 * last, 2 * last + 2)
  }

  #place(routerId: string): number {
    const known = this.#indexes.get(routerId)
    if (known !== undefined) return known
    const index = this.#free.pop() ?? this.#ids.length
    if (index >= MOST_ROUTERS) throw new Error('too many routers for the table of pairs')
    if (index >= this.capacity) this.#grow()
    this.#indexes.set(routerId, index)
    this.#ids[index] = routerId
    this.steps[index] ??= new Int32Array(2 * FIRST_STEPS)
    this.degrees[index] = 0
    this.#pairsAt[index] ??= []
    this.#pairCount[index] = 0
    this.routerCosts[index] = this.#minRouterCost
    this.isTraversed[index] = 1
    return index
  }

  #release(index: number): void {
    const routerId = this.#ids[index]
    if (routerId === undefined || this.#online.has(routerId) || this.#pairCount[index]! > 0) return
    this.#indexes.delete(routerId)
    this.#ids[index] = undefined
    this.#free.push(index)
    this.#follower?.indexFreed(index)
  }

  #grow(): void {
    const routerCosts = new Float64Array(this.capacity * 2)
    routerCosts.set(this.routerCosts)
    this.routerCosts = routerCosts
    const isTraversed = new Uint8Array(routerCosts.length)
    isTraversed.set(this.isTraversed)
    this.isTraversed = isTraversed
  }
}

function pairKey(a: number, b: number): number {
  return a < b ? a * MOST_ROUTERS + b : b * MOST_ROUTERS + a
}
