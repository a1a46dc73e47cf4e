/** Hot (bench/paths.ts): nodes in order of cost, the cheapest first. A node may stand in it more than once. */
export class CostHeap {
  readonly #costs: number[] = []
  readonly #nodes: number[] = []

  get isEmpty(): boolean {
    return this.#nodes.length === 0
  }

  /** What `take` would give costs. */
  get leastCost(): number {
    return this.#costs[0]!
  }

  add(node: number, cost: number): void {
    const costs = this.#costs
    const nodes = this.#nodes
    let at = nodes.length
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (costs[parent]! <= cost) break
      costs[at] = costs[parent]!
      nodes[at] = nodes[parent]!
      at = parent
    }
    costs[at] = cost
    nodes[at] = node
  }

  /** Removes the cheapest; only where there is one. */
  take(): number {
    const costs = this.#costs
    const nodes = this.#nodes
    const taken = nodes[0]!
    const cost = costs.pop()!
    const node = nodes.pop()!
    const size = nodes.length
    if (size === 0) return taken
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && costs[child + 1]! < costs[child]!) child++
      if (costs[child]! >= cost) break
      costs[at] = costs[child]!
      nodes[at] = nodes[child]!
      at = child
    }
    costs[at] = cost
    nodes[at] = node
    return taken
  }
}
