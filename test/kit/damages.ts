/** What can happen to the programs of a network, and be put right again; and schedules of that, by chance. */
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
