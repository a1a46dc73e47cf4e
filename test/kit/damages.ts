/** What can happen to the programs of a network, and be put right again; and schedules of that, by chance. */
import type { BreakableNetwork } from './breakable-network.ts'
import { type Random, shuffled } from './random.ts'

/** Something that can be taken away, and given back. */
export interface Damage {
  readonly name: string
  readonly happen: () => Promise<void> | void
  readonly mend: () => Promise<void> | void
}

/** Some of the programs, each with one of the things that can happen to it, in any order. */
export function chooseDamages(ofPrograms: readonly (readonly Damage[])[], random: Random): readonly Damage[] {
  const chosen = ofPrograms.map((kinds) => random.oneOf(kinds))
  return shuffled(chosen, random).slice(0, 1 + random.integer(chosen.length))
}

/** A process that stands still for a while. */
export function frozen(name: string, signal: (signal: NodeJS.Signals) => void): Damage {
  return { name: `${name} is frozen`, happen: () => signal('SIGSTOP'), mend: () => signal('SIGCONT') }
}

/** A program that nobody reaches and that reaches nobody; in the one way all notice it at once, in the other nobody does. */
export function cutOff(network: BreakableNetwork, name: string, random: Random): readonly Damage[] {
  const mending = () => random.oneOf(['goes on', 'begins anew'] as const)
  return [
    { name: `${name} is cut off`, happen: () => network.cut(name, 'loud'), mend: () => network.mend(name) },
    {
      name: `nothing from or to ${name} arrives`,
      happen: () => network.cut(name, 'silent'),
      mend: () => network.mend(name, mending()),
    },
  ]
}
