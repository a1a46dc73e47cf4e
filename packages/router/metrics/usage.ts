/**
 * How many bytes each circuit moved in each interval, which is what usage is charged by.
 *
 * Counting happens for each message, and is adding to a number of an object that the circuit keeps. Intervals are
 * closed at fixed times of the clock, so that those of all routers are the same; what was counted until then belongs to
 * the interval that ends.
 */

/** What moved, by the names of the wire. */
export const usageKinds = ['ingress.rx', 'ingress.tx', 'egress.rx', 'egress.tx', 'fabric.rx', 'fabric.tx'] as const
export type UsageKind = (typeof usageKinds)[number]

/** What circuits moved in one interval. */
export interface UsageInterval {
  /** Milliseconds since 1970; likewise `length`. */
  readonly start: number
  readonly length: number
  readonly circuits: ReadonlyMap<string, CircuitBytes>
}

export interface CircuitBytes {
  /** Without those that are zero. */
  readonly values: ReadonlyMap<UsageKind, number>
  readonly tags: ReadonlyMap<string, string>
}

/** The counts of one circuit. Add to them; they are taken away when an interval ends. */
export class CircuitUsage implements Disposable {
  readonly id: string
  readonly tags: ReadonlyMap<string, string>
  ingressRx = 0
  ingressTx = 0
  egressRx = 0
  egressTx = 0
  fabricRx = 0
  fabricTx = 0
  readonly #onEnd: (ended: CircuitUsage) => void

  constructor(id: string, tags: ReadonlyMap<string, string>, onEnd: (ended: CircuitUsage) => void) {
    this.id = id
    this.tags = tags
    this.#onEnd = onEnd
  }

  /** What there is is counted to the interval that runs; nothing is counted any more. */
  [Symbol.dispose](): void {
    this.#onEnd(this)
  }

  /** Takes what was counted. */
  take(): Map<UsageKind, number> {
    const counted: readonly [UsageKind, number][] = [
      ['ingress.rx', this.ingressRx],
      ['ingress.tx', this.ingressTx],
      ['egress.rx', this.egressRx],
      ['egress.tx', this.egressTx],
      ['fabric.rx', this.fabricRx],
      ['fabric.tx', this.fabricTx],
    ]
    this.ingressRx = this.ingressTx = this.egressRx = this.egressTx = this.fabricRx = this.fabricTx = 0
    return new Map(counted.filter(([, bytes]) => bytes > 0))
  }
}

/** While no controller listens, so many intervals are kept; the oldest go first. */
const mostIntervals = 120

export class UsageMeter {
  readonly #now: () => number
  readonly #length: number
  readonly #circuits = new Set<CircuitUsage>()
  #open = new Map<string, { values: Map<UsageKind, number>; tags: ReadonlyMap<string, string> }>()
  #start: number
  #closed: UsageInterval[] = []
  #dropped = 0

  /** `now` is milliseconds since 1970, `length` that of an interval in milliseconds. */
  constructor(options: { readonly now: () => number; readonly length: number }) {
    this.#now = options.now
    this.#length = options.length
    this.#start = this.#truncated(options.now())
  }

  /** Intervals that were given up because no one took them. */
  get dropped(): number {
    return this.#dropped
  }

  /** Starts to count a circuit; disposing of what is returned ends it. */
  circuit(id: string, tags: ReadonlyMap<string, string> = new Map()): CircuitUsage {
    const usage = new CircuitUsage(id, tags, (ended) => {
      if (this.#circuits.delete(ended)) this.#gather(ended)
    })
    this.#circuits.add(usage)
    return usage
  }

  /** Milliseconds until an interval ends: when to call `close` next. */
  get untilClose(): number {
    return this.#start + this.#length - this.#now()
  }

  /** Closes the interval if its time is over. A clock that was set back starts anew from there. */
  close(): void {
    const current = this.#truncated(this.#now())
    if (current === this.#start) return
    for (const circuit of this.#circuits) this.#gather(circuit)
    if (this.#open.size > 0) {
      this.#closed.push({ start: this.#start, length: this.#length, circuits: this.#open })
      this.#open = new Map()
    }
    if (this.#closed.length > mostIntervals) {
      this.#closed.shift()
      this.#dropped++
    }
    this.#start = current
  }

  /** Takes the intervals that are over. */
  take(): readonly UsageInterval[] {
    this.close()
    const taken = this.#closed
    this.#closed = []
    return taken
  }

  #gather(circuit: CircuitUsage): void {
    const values = circuit.take()
    if (values.size === 0) return
    const earlier = this.#open.get(circuit.id)
    if (earlier === undefined) this.#open.set(circuit.id, { values, tags: circuit.tags })
    else for (const [kind, bytes] of values) earlier.values.set(kind, (earlier.values.get(kind) ?? 0) + bytes)
  }

  #truncated(time: number): number {
    return time - (time % this.#length)
  }
}
