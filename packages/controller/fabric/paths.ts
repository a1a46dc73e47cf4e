/**
 * Hot (bench/paths.ts): the cheapest paths of the mesh. For each router that is asked for, the tree of its paths is kept,
 * and the least recently asked for go first when there are too many.
 */
import { CostHeap } from './cost-heap.ts'
import { ShortestPathTree } from './shortest-path-tree.ts'
import type { Topology, TopologyFollower } from './topology.ts'

/** Numbers of routers in all trees together, each with twelve bytes. */
const MOST_CELLS = 4_000_000
const FEWEST_TREES = 16

export interface FoundPath {
  readonly nodes: readonly string[]
  readonly links: readonly string[]
  /** Links and routers, without the first router. */
  readonly cost: number
}

export class Paths implements TopologyFollower {
  readonly #topology: Topology
  readonly #heap = new CostHeap()
  /** By source; whoever was asked for last stands last. */
  readonly #trees = new Map<number, ShortestPathTree>()

  constructor(topology: Topology) {
    this.#topology = topology
    topology.follow(this)
  }

  /** What the cheapest path costs; Infinity where there is none. */
  cost(fromRouterId: string, toRouterId: string): number {
    const from = this.#topology.indexOf(fromRouterId)
    const to = this.#topology.indexOf(toRouterId)
    if (from === undefined || to === undefined) return Number.POSITIVE_INFINITY
    return from === to ? 0 : this.#tree(from).costTo(to)
  }

  between(fromRouterId: string, toRouterId: string): FoundPath | undefined {
    const cost = this.cost(fromRouterId, toRouterId)
    if (cost === Number.POSITIVE_INFINITY) return undefined
    if (fromRouterId === toRouterId) return { nodes: [fromRouterId], links: [], cost }
    const topology = this.#topology
    const path = this.#tree(topology.indexOf(fromRouterId)!).pathTo(topology.indexOf(toRouterId)!)
    const links: string[] = []
    for (let at = 1; at < path.length; at++) links.push(topology.bestLink(path[at - 1]!, path[at]!)!.id)
    return { nodes: path.map((index) => topology.idAt(index)), links, cost }
  }

  pairChanged(a: number, b: number, linkCost: number): void {
    for (const tree of this.#trees.values()) tree.pairChanged(a, b, linkCost)
  }

  indexFreed(index: number): void {
    this.#trees.delete(index)
  }

  #tree(source: number): ShortestPathTree {
    const known = this.#trees.get(source)
    if (known !== undefined) this.#trees.delete(source)
    const tree = known ?? new ShortestPathTree(this.#topology, this.#heap, source)
    this.#trees.set(source, tree)
    const most = Math.max(FEWEST_TREES, Math.floor(MOST_CELLS / this.#topology.capacity))
    if (this.#trees.size > most) this.#trees.delete(this.#trees.keys().next().value!)
    return tree
  }
}
