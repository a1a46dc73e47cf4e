/**
 * What the control plane costs: simulated routers at our controller, started here, and at another OpenZiti-compatible one
 * beside it in the same run. They connect, follow the data model, report links and ask for circuits.
 *
 *   npm run bench:control -- [--routers 50,200,400] [--identities N] [--rounds N]
 *                            [--against URL --against-user NAME --against-password PASSWORD] [--against-pid PID]
 *                            [--only TEXT] [--profile DIRECTORY] [--smoke]
 *
 * `--against-pid` is for its CPU and memory, which are known only of a process on this machine. `--only` measures what has
 * the text in its kind and name, such as `data model`. `--profile` has our controller write CPU profiles.
 */
import { randomBytes } from 'node:crypto'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Contender } from './contender.ts'
import { createCircuits, openSession } from './control/circuits.ts'
import {
  createIdentities,
  createPolicies,
  type FanOutPlan,
  floodIdentities,
  updateIdentities,
} from './control/fan-out.ts'
import { Fleet } from './control/fleet.ts'
import { formLinks, measureLinks } from './control/links.ts'
import { comparisonFlags, openOther } from './flags.ts'
import { nothingSeeded, type SeededIds, seed } from './network.ts'
import { OwnController } from './own-controller.ts'
import { usageOf } from './process-usage.ts'
import { aligned, type Line, refusals, table } from './report.ts'
import { alternate, type Round } from './rounds.ts'

const CONNECTIONS = 16

const { values: flags } = parseArgs({
  options: {
    routers: { type: 'string', default: '50,200,400' },
    identities: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    ...comparisonFlags,
  },
})

/** A controller, its routers and what it holds. */
interface Network {
  readonly contender: Contender
  readonly fleet: Fleet
  readonly ids: SeededIds
  /** Megabytes before a router was connected, and with so many. */
  readonly resident: { readonly before: number; readonly with: number; readonly routers: number }
}

type Rounds = Readonly<Record<string, Round>>

const plan: FanOutPlan = flags.smoke
  ? { changes: 3, flood: 8, connections: 4, policies: 1, longest: 5_000 }
  : { changes: 50, flood: 600, connections: CONNECTIONS, policies: 5, longest: 3_000 }
/** In which a process gives back what it only needed for a moment. */
const settling = flags.smoke ? 0 : 40_000
const SETTLING_STEP = 100
/** For which circuits are asked for. */
const circuitMilliseconds = flags.smoke ? 50 : 3_000
/** In the names of everything that this run makes: another controller may have seen one before. */
const run = randomBytes(4).toString('hex')

await main()

async function main(): Promise<void> {
  const sizes = flags.smoke ? [4] : flags.routers.split(',').map(Number)
  const identities = flags.smoke ? 20 : Number(flags.identities)
  const rounds = flags.smoke ? 1 : Number(flags.rounds)
  describe(identities, rounds)
  await using own = await OwnController.start({ profileDirectory: flags.profile })
  const { url, username, password, pid } = own
  const contenders = [await Contender.open({ name: 'ours', isOurs: true, url, username, password, pid })]
  if (flags.against !== undefined && !flags.smoke) contenders.push(await openOther(flags.against, flags))
  const networks: Network[] = []
  for (const contender of contenders) networks.push(await prepare(contender, identities, Math.max(...sizes)))
  const lines: Line[] = []
  for (const size of sizes) lines.push(...(await measureSize(networks, size, rounds)))
  const names = contenders.map(({ name }) => name)
  print(`\n${table(lines, names, 'per s')}\n`)
  for (const told of refusals(lines)) print(`${told}\n`)
  print(`\n${aligned([['controller', 'MB before', 'MB with', 'routers', 'KB per router'], ...networks.map(memory)])}\n`)
}

function describe(identities: number, rounds: number): void {
  const load = loadavg().map((value) => value.toFixed(2))
  print(`node ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown processor'}\n`)
  print(`load average before: ${load.join(' ')}; the simulated routers run on the same machine, in one process\n`)
  print(`${identities} identities and what belongs to them; ${rounds} rounds in turns after one that warms up\n`)
  print(`each router: two TLS connections; circuits: 32 requests at one time, routes answered at once\n`)
  if (flags.against !== undefined) print(`against ${flags.against}, as it was started\n`)
}

/** Nothing of this is measured but memory: nothing has been done yet that could have left some behind. */
async function prepare(contender: Contender, identities: number, routers: number): Promise<Network> {
  const ids = nothingSeeded()
  await seed(contender, identities, ids, CONNECTIONS)
  const fleet = await Fleet.enroll(contender, run, routers)
  note(`${contender.name}: ${identities} identities, ${routers} routers enrolled`)
  const before = await residentOf(contender)
  await fleet.connect(routers)
  const resident = { before, with: await residentOf(contender), routers }
  await fleet.disconnect()
  return { contender, fleet, ids, resident }
}

async function measureSize(networks: readonly Network[], size: number, rounds: number): Promise<Line[]> {
  const measured = await alternate(networks, { rounds }, (network, round) => measureRound(network, size, round))
  const [first] = measured.values()
  return Object.keys(first?.[0] ?? {}).map((title) => {
    const [kind = '', workload = ''] = title.split(': ')
    const ofTitle = [...measured].map(([name, each]) => [name, each.map((of) => of[title]!)] as const)
    return { size, kind, workload, measured: new Map(ofTitle) }
  })
}

/** All that N routers do, from their coming to their going. */
async function measureRound({ contender, fleet, ids }: Network, size: number, round: number): Promise<Rounds> {
  const label = `${run}-${size}-${round}`
  const rounds: Record<string, Round> = {}
  const keep = async (title: string, measure: () => Promise<Round>) => {
    if (flags.only !== undefined && !title.includes(flags.only)) return
    const began = performance.now()
    rounds[title] = await measure()
    const { latencies, seconds } = rounds[title]
    const rate = (latencies.length / seconds).toFixed(0)
    note(`${size} ${contender.name} ${title}: ${rate} per s (${(performance.now() - began).toFixed(0)} ms)`)
  }
  const cpu = usageOf(contender.pid).cpuSeconds
  const arrival = await fleet.connect(size)
  await keep('routers: connect', async () => {
    return { ...arrival, cpuSeconds: usageOf(contender.pid).cpuSeconds - cpu, refused: 0 }
  })
  await keep('data model: create identity', () => createIdentities(fleet, label, plan))
  await keep('data model: update identity', () => updateIdentities(fleet, label, ids.identities, plan))
  await keep('data model: create policy over all', () => createPolicies(fleet, label, plan))
  await keep('data model: create identities, 16 at a time', () => floodIdentities(fleet, `${label}-flood`, plan))
  await keep('links: form a full mesh', () => formLinks(fleet, label))
  await keep('links: both ends measure', () => measureLinks(fleet, label))
  await keep('circuits: create with a session', async () => {
    const hosts = fleet.routers.filter((_, at) => at % 2 === 1).map(({ routerId }) => routerId)
    return await createCircuits(fleet, await openSession(fleet, label, hosts), circuitMilliseconds)
  })
  await fleet.disconnect()
  return rounds
}

function memory({ contender, resident }: Network): string[] {
  const each = ((resident.with - resident.before) * 1_024) / resident.routers
  const numbers = [resident.before.toFixed(0), resident.with.toFixed(0), String(resident.routers), each.toFixed(0)]
  return [contender.name, ...numbers]
}

/** The least that it has while a request comes now and then: collectors clear away what is left only as work goes on. */
async function residentOf(contender: Contender): Promise<number> {
  let least = usageOf(contender.pid).residentMegabytes
  for (let waited = 0; waited < settling; waited += SETTLING_STEP) {
    await contender.call('GET', '/version')
    await sleep(SETTLING_STEP)
    least = Math.min(least, usageOf(contender.pid).residentMegabytes)
  }
  return least
}

function print(text: string): void {
  process.stdout.write(text)
}

/** Progress goes to the other stream, so that the output is the report alone. */
function note(text: string): void {
  if (!flags.smoke) process.stderr.write(`${text}\n`)
}
