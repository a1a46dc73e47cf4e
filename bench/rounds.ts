/**
 * Measures workloads in rounds that go from one controller to the next, so that a busy moment of the machine hits all of
 * them; which one begins changes from round to round.
 */
import type { Contender } from './contender.ts'
import { type DriveOptions, drive, type RequestSource } from './load/drive.ts'
import type { Kind, SeededIds } from './network.ts'
import { usageOf } from './process-usage.ts'
import { creates, deletes, type Workload } from './workloads.ts'

export interface Seeded {
  readonly contender: Contender
  readonly ids: SeededIds
  /** Of the network that it holds. */
  readonly size: number
}

/** One round of one workload on one controller. */
export interface Round {
  readonly latencies: readonly number[]
  readonly seconds: number
  readonly cpuSeconds: number
  readonly refused: number
}

/** The rounds of a workload, by the name of the controller. */
export type Measured = ReadonlyMap<string, readonly Round[]>

export interface Plan {
  readonly connections: number
  readonly rounds: number
  /** Milliseconds of each round. */
  readonly length: number
  /** How many entities a round creates before it deletes them again; it repeats that until its time is over. */
  readonly batch: number
}

export async function measureSteady(workload: Workload, seeded: readonly Seeded[], plan: Plan): Promise<Measured> {
  return await alternate(seeded, plan, async ({ contender, ids, size }, round) => {
    const source = workload.source({ contender, size, ids }, round)
    return await measure(contender, source, { connections: plan.connections, milliseconds: plan.length })
  })
}

/** Creates and deletes of a kind: measured apart, in turns, so that the network stays as large as it is. */
export async function measureChurn(
  kind: Kind,
  seeded: readonly Seeded[],
  plan: Plan,
): Promise<{ readonly create: Measured; readonly delete: Measured }> {
  const { connections, length, batch } = plan
  const both = await alternate(seeded, plan, async ({ contender }, round) => {
    let [created, deleted] = [nothing, nothing]
    const end = performance.now() + 2 * length
    for (let turn = 0; turn === 0 || performance.now() < end; turn++) {
      const made: string[] = []
      const source = creates(kind, contender, `${round}-${turn}`, batch, made)
      created = joined(created, await measure(contender, source, { connections, milliseconds: 2 * length }))
      deleted = joined(deleted, await measure(contender, deletes(kind, contender, made), { connections }))
    }
    return { created, deleted }
  })
  const part = (which: 'created' | 'deleted') =>
    new Map([...both].map(([name, rounds]) => [name, rounds.map((round) => round[which])]))
  return { create: part('created'), delete: part('deleted') }
}

/** A round in which nothing was done. */
export const nothing: Round = { latencies: [], seconds: 0, cpuSeconds: 0, refused: 0 }

/** Two parts of one round. */
export function joined(a: Round, b: Round): Round {
  return {
    latencies: a.latencies.concat(b.latencies),
    seconds: a.seconds + b.seconds,
    cpuSeconds: a.cpuSeconds + b.cpuSeconds,
    refused: a.refused + b.refused,
  }
}

/** Runs rounds in turns, in changing order. The first round only warms up. */
export async function alternate<One extends { readonly contender: Contender }, T>(
  everyone: readonly One[],
  { rounds }: Pick<Plan, 'rounds'>,
  run: (one: One, round: number) => Promise<T>,
): Promise<Map<string, T[]>> {
  const results = new Map<string, T[]>(everyone.map(({ contender }) => [contender.name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const one of round % 2 === 0 ? everyone : everyone.toReversed()) {
      const result = await run(one, round)
      if (round > 0) results.get(one.contender.name)!.push(result)
    }
  }
  return results
}

/** Ours must not refuse anything; another controller may, when it gives up on a request that takes too long. */
export function measure(
  { endpoint, pid, isOurs }: Contender,
  source: RequestSource,
  options: Omit<DriveOptions, 'mayRefuse'>,
): Promise<Round> {
  return drive(endpoint, source, { ...options, mayRefuse: !isOurs }, async (run) => {
    const before = usageOf(pid).cpuSeconds
    const driven = await run()
    return { ...driven, cpuSeconds: usageOf(pid).cpuSeconds - before }
  })
}
