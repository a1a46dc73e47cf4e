/**
 * How changes reach routers: from the request that makes the change until the last router has it. One at a time, and as
 * fast as they can be made.
 *
 * Rates count from the request to the last router, times from the answer of the API to the last router; they are below
 * zero where routers know before whoever asked.
 */
import type { Contender } from '../contender.ts'
import { LoadConnection } from '../load/connection.ts'
import { drive } from '../load/drive.ts'
import { createdId, newcomer } from '../network.ts'
import { usageOf } from '../process-usage.ts'
import { measure, nothing, type Round } from '../rounds.ts'
import { deletes } from '../workloads.ts'
import { Arrivals } from './arrivals.ts'
import type { Fleet } from './fleet.ts'

export interface FanOutPlan {
  /** Changes one at a time. */
  readonly changes: number
  /** Changes as fast as can be, over so many connections. */
  readonly flood: number
  readonly connections: number
  /** Policies over everything. */
  readonly policies: number
  /** Changes one at a time end after so many milliseconds, whatever is left. */
  readonly longest: number
}

/** A change and what it changes. */
interface Change {
  readonly method: string
  readonly path: string
  readonly body: string
  /** Where it is known before the change is made. */
  readonly id?: string
}

/** Creates identities one at a time, and deletes them again. */
export async function createIdentities(
  fleet: Fleet,
  label: string,
  { changes, connections, longest }: FanOutPlan,
): Promise<Round> {
  const bodies = named(label, changes).map((name, nth) => ({
    ...{ method: 'POST', path: '/identities', body: newcomer('identities', name, nth) },
  }))
  const { round, ids } = await oneByOne(fleet, bodies, longest)
  await measure(fleet.contender, deletes('identities', fleet.contender, ids), { connections })
  return round
}

/** Changes identities that are there. */
export async function updateIdentities(
  fleet: Fleet,
  label: string,
  ids: readonly string[],
  plan: FanOutPlan,
): Promise<Round> {
  const changes = ids.slice(0, plan.changes).map((id) => ({
    ...{ method: 'PATCH', path: `/identities/${id}`, id, body: JSON.stringify({ appData: { label } }) },
  }))
  return (await oneByOne(fleet, changes, plan.longest)).round
}

/** Lets everybody dial everything, several times over; each policy is deleted again. */
export async function createPolicies(fleet: Fleet, label: string, { policies, longest }: FanOutPlan): Promise<Round> {
  const everything = { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] }
  const changes = named(label, policies).map((name) => ({
    ...{ method: 'POST', path: '/service-policies', body: JSON.stringify({ name, ...everything }) },
  }))
  const { round, ids } = await oneByOne(fleet, changes, longest)
  await measure(fleet.contender, deletes('service-policies', fleet.contender, ids), { connections: 1 })
  return round
}

/** Creates identities as fast as the API takes them, and deletes them again. */
export async function floodIdentities(fleet: Fleet, label: string, { flood, connections }: FanOutPlan): Promise<Round> {
  const { contender } = fleet
  const arrivals = watched(fleet)
  const bodies = named(label, flood).map((name, nth) => newcomer('identities', name, nth))
  const answers = new Map<string, number>()
  let nth = 0
  const source = {
    next: () => (nth < flood ? contender.request('POST', '/identities', bodies[nth++]) : undefined),
    answered: (body: string) => {
      answers.set(createdId(body), performance.now())
    },
  }
  const round = await drive(contender.endpoint, source, { connections }, async (run) => {
    const cpu = usageOf(contender.pid).cpuSeconds
    const began = performance.now()
    await run()
    const arrived = await Promise.all([...answers.keys()].map((id) => arrivals.of(id)))
    return {
      latencies: [...answers.values()].map((answered, at) => arrived[at]! - answered),
      seconds: (Math.max(...arrived, ...answers.values()) - began) / 1_000,
      cpuSeconds: usageOf(contender.pid).cpuSeconds - cpu,
      refused: 0,
    }
  })
  await measure(contender, deletes('identities', contender, [...answers.keys()]), { connections })
  return round
}

async function oneByOne(
  fleet: Fleet,
  changes: readonly Change[],
  longest: number,
): Promise<{ round: Round; ids: readonly string[] }> {
  const { contender } = fleet
  const arrivals = watched(fleet)
  using connection = await LoadConnection.open(contender.endpoint, { keepsBody: true })
  const latencies: number[] = []
  const ids: string[] = []
  const cpu = usageOf(contender.pid).cpuSeconds
  let milliseconds = 0
  for (const { method, path, body, id } of changes) {
    if (milliseconds > longest) break
    if (id !== undefined) arrivals.forget(id)
    const began = performance.now()
    const changed = await request(contender, connection, { method, path, body })
    const answered = performance.now()
    const told = await arrivals.of(id ?? changed)
    ids.push(id ?? changed)
    latencies.push(told - answered)
    milliseconds += Math.max(told, answered) - began
  }
  const cpuSeconds = usageOf(contender.pid).cpuSeconds - cpu
  return { round: { ...nothing, latencies, seconds: milliseconds / 1_000, cpuSeconds }, ids }
}

/** Answers the id in the answer, if there is one. */
async function request(
  contender: Contender,
  connection: LoadConnection,
  { method, path, body }: Change,
): Promise<string> {
  const { status, body: answer } = await connection.ask(contender.request(method, path, body))
  if (status < 200 || status > 299) throw new Error(`${contender.name}: ${method} ${path}: ${status} ${answer}`)
  return method === 'POST' ? createdId(answer) : ''
}

function watched(fleet: Fleet): Arrivals {
  const arrivals = new Arrivals(fleet.routers.length)
  fleet.listener = { changeSet: (body) => arrivals.take(body) }
  return arrivals
}

function named(label: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, nth) => `fan-out-${label}-${nth}`)
}
