/**
 * What terminators cost besides what they were given: something for every circuit they carry and more for dials that
 * failed, which is forgiven with successes and with time.
 */
import type { Clock } from '../clock.ts'
import type { TerminatorCosts as ShownCosts } from '../resources/terminators.ts'

const CIRCUIT_COST = 2
const FAILURE_COST = 20
const SUCCESS_CREDIT = 2
const LEAST_CREDIT = 10
/** The credit of a minute doubles with every such span since the last failure. */
const CREDIT_SPAN = 5 * 60_000
const MOST_COST = 65_535
/** Beyond lies nothing but a longer way back. */
const MOST_FAILURE_COST = 2 ** 32 - 1

interface Costs {
  circuits: number
  failureCost: number
  lastFailure: number
}

export interface TerminatorCostDetail {
  readonly terminatorId: string
  readonly circuitCount: number
  readonly failureCost: number
  readonly currentCost: number
}

export class TerminatorCosts implements ShownCosts {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** Only terminators that cost something. */
  readonly #costs = new Map<string, Costs>()

  constructor({ clock }: { readonly clock: Pick<Clock, 'monotonic'> }) {
    this.#clock = clock
  }

  dynamicCost(terminatorId: string): number {
    const costs = this.#costs.get(terminatorId)
    return costs === undefined ? 0 : Math.min(sum(costs), MOST_COST)
  }

  details(): IteratorObject<TerminatorCostDetail> {
    return this.#costs.entries().map(([terminatorId, costs]) => {
      const { circuits: circuitCount, failureCost } = costs
      return { terminatorId, circuitCount, failureCost, currentCost: sum(costs) }
    })
  }

  dialFailed(terminatorId: string): void {
    const costs = this.#of(terminatorId)
    costs.failureCost = Math.min(costs.failureCost + FAILURE_COST, MOST_FAILURE_COST)
    costs.lastFailure = this.#clock.monotonic()
  }

  circuitCreated(terminatorId: string): void {
    const costs = this.#of(terminatorId)
    costs.circuits++
    costs.failureCost = Math.max(0, costs.failureCost - SUCCESS_CREDIT)
  }

  /** Of a terminator that is gone nothing is kept, and its circuits may end later. */
  circuitRemoved(terminatorId: string): void {
    const costs = this.#costs.get(terminatorId)
    if (costs === undefined) return
    costs.circuits = Math.max(0, costs.circuits - 1)
    this.#dropIfNothing(terminatorId, costs)
  }

  forget(terminatorId: string): void {
    this.#costs.delete(terminatorId)
  }

  /** To be called every minute. */
  creditFailures(): void {
    const now = this.#clock.monotonic()
    for (const [terminatorId, costs] of this.#costs) {
      if (costs.failureCost === 0) continue
      const credit = Math.max(LEAST_CREDIT, 2 ** Math.floor((now - costs.lastFailure) / CREDIT_SPAN))
      costs.failureCost = Math.max(0, costs.failureCost - credit)
      this.#dropIfNothing(terminatorId, costs)
    }
  }

  #of(terminatorId: string): Costs {
    let costs = this.#costs.get(terminatorId)
    if (costs === undefined) {
      costs = { circuits: 0, failureCost: 0, lastFailure: 0 }
      this.#costs.set(terminatorId, costs)
    }
    return costs
  }

  #dropIfNothing(terminatorId: string, costs: Costs): void {
    if (costs.circuits === 0 && costs.failureCost === 0) this.#costs.delete(terminatorId)
  }
}

function sum({ circuits, failureCost }: Costs): number {
  return circuits * CIRCUIT_COST + failureCost
}
