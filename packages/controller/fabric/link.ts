/** One connection between two routers, as its dialer reported it. Latencies are nanoseconds, costs have no unit. */

export interface LinkConnection {
  readonly type: string
  readonly localAddr: string
  readonly remoteAddr: string
}

/** Of what a link is made; the higher iteration is the newer state. */
export interface LinkConnState {
  readonly stateIteration: number
  readonly conns: readonly LinkConnection[]
}

export interface ReportedLink {
  readonly id: string
  readonly destRouterId: string
  readonly protocol: string
  readonly dialAddress: string
  /** How often it was dialled; a report with a higher one is about another link under the same id. */
  readonly iteration: number
  readonly connState?: LinkConnState | undefined
}

export interface LinkEnds {
  readonly sourceRouterId: string
  readonly destRouterId: string
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000
/** More than any measurement; sums stay exact. */
const LONGEST_LATENCY = 1e15
/** A step over such a link still fits into 32 bits. */
const MOST_COST = 1_000_000_000

export class Link implements LinkEnds {
  readonly id: string
  readonly sourceRouterId: string
  readonly destRouterId: string
  readonly protocol: string
  readonly dialAddress: string
  readonly iteration: number
  /** A link that failed is no longer kept. */
  readonly state = 'Connected'
  #connState: LinkConnState | undefined
  #staticCost = 1
  #isDown = false
  #sourceLatency: number
  #destLatency: number
  #cost = 0

  constructor(sourceRouterId: string, reported: ReportedLink, initialLatency: number) {
    this.id = reported.id
    this.sourceRouterId = sourceRouterId
    this.destRouterId = reported.destRouterId
    this.protocol = reported.protocol
    this.dialAddress = reported.dialAddress
    this.iteration = reported.iteration
    this.#connState = reported.connState
    this.#sourceLatency = initialLatency
    this.#destLatency = initialLatency
    this.#sum()
  }

  get connState(): LinkConnState | undefined {
    return this.#connState
  }

  get connections(): readonly LinkConnection[] {
    return this.#connState?.conns ?? []
  }

  get staticCost(): number {
    return this.#staticCost
  }

  get sourceLatency(): number {
    return this.#sourceLatency
  }

  get destLatency(): number {
    return this.#destLatency
  }

  /** Static cost and the whole milliseconds of both latencies. */
  get cost(): number {
    return this.#cost
  }

  /** Taken out of use by an administrator. */
  get isDown(): boolean {
    return this.#isDown
  }

  get isUsable(): boolean {
    return !this.#isDown
  }

  isEnd(routerId: string): boolean {
    return routerId === this.sourceRouterId || routerId === this.destRouterId
  }

  otherEnd(routerId: string): string {
    return routerId === this.sourceRouterId ? this.destRouterId : this.sourceRouterId
  }

  /** Answers whether the state is newer than what was known. */
  takeConnState(state: LinkConnState): boolean {
    if (this.#connState !== undefined && state.stateIteration <= this.#connState.stateIteration) return false
    this.#connState = state
    return true
  }

  setStaticCost(cost: number): void {
    this.#staticCost = cost
    this.#sum()
  }

  setDown(isDown: boolean): void {
    this.#isDown = isDown
  }

  /** What one end has measured. */
  setLatency(end: 'source' | 'dest', nanoseconds: number): void {
    const latency = Math.min(nanoseconds, LONGEST_LATENCY)
    if (end === 'source') this.#sourceLatency = latency
    else this.#destLatency = latency
    this.#sum()
  }

  #sum(): void {
    const cost = this.#staticCost + wholeMilliseconds(this.#sourceLatency) + wholeMilliseconds(this.#destLatency)
    // Paths are searched on the assumption that a further step never makes them cheaper.
    this.#cost = Math.min(Math.max(0, cost), MOST_COST)
  }
}

function wholeMilliseconds(nanoseconds: number): number {
  return Math.floor(nanoseconds / NANOSECONDS_PER_MILLISECOND)
}
