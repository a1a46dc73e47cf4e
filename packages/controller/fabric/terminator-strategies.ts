/**
 * How a service picks among the terminators that can be reached. Those it picks from are in order of cost, the cheapest
 * first; a precedence is never left while a better one has a terminator.
 */
import { type PeerData, peerDataKeys, peerText } from './peer-data.ts'
import { type Precedence, unbiasedCost } from './precedence.ts'

export interface CostedTerminator {
  readonly id: string
  readonly precedence: Precedence
  /** Within the band of its precedence. */
  readonly routeCost: number
}

export interface Picked<T extends CostedTerminator> {
  readonly terminator: T
  /** What the initiator is told by the strategy. */
  readonly peerData: PeerData
}

export interface Strategy {
  /** Whether circuits and failures add to the costs of its terminators. */
  readonly isCounting: boolean
  pick<T extends CostedTerminator>(candidates: readonly T[], request: PickRequest): Picked<T>
}

export interface PickRequest {
  /** What the initiator said. */
  readonly peerData: PeerData
  /** At least 0 and below 1. */
  readonly random: () => number
}

const nothing: PeerData = new Map()

const smartrouting: Strategy = {
  isCounting: true,
  pick: (candidates) => ({ terminator: candidates[0]!, peerData: nothing }),
}

const random: Strategy = {
  isCounting: false,
  pick(candidates, request) {
    const best = bestPrecedence(candidates)
    return { terminator: best[Math.floor(request.random() * best.length)]!, peerData: nothing }
  },
}

/** Twice the cost, half the chance, roughly: what is missing of all costs together is the weight of each. */
const weighted: Strategy = {
  isCounting: true,
  pick(candidates, request) {
    const best = bestPrecedence(candidates)
    if (best.length === 1) return { terminator: best[0]!, peerData: nothing }
    const costs = best.map(({ precedence, routeCost }) => Math.max(1, unbiasedCost(precedence, routeCost)))
    const total = costs.reduce((sum, cost) => sum + cost, 0)
    const weights = costs.map((cost) => 1 - cost / total)
    let left = request.random() * weights.reduce((sum, weight) => sum + weight, 0)
    const at = weights.findIndex((weight) => {
      left -= weight
      return left < 0
    })
    return { terminator: best[Math.max(at, 0)]!, peerData: nothing }
  },
}

/** The initiator brings back the token of its last circuit and gets the same terminator, as long as that is among the best. */
const sticky: Strategy = {
  isCounting: true,
  pick(candidates, request) {
    const best = bestPrecedence(candidates)
    const token = peerText(request.peerData, peerDataKeys.stickinessToken)
    const terminator = best.find(({ id }) => id === token) ?? best[0]!
    return { terminator, peerData: new Map([[peerDataKeys.stickinessToken, Buffer.from(terminator.id)]]) }
  },
}

const strategies: Readonly<Record<string, Strategy>> = { smartrouting, random, weighted, sticky }

export function strategyNamed(name: string): Strategy | undefined {
  return Object.hasOwn(strategies, name) ? strategies[name] : undefined
}

function bestPrecedence<T extends CostedTerminator>(candidates: readonly T[]): readonly T[] {
  return candidates.filter(({ precedence }) => precedence === candidates[0]!.precedence)
}
