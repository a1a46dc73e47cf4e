/**
 * What the management API costs: our controller, started here, and another OpenZiti-compatible one beside it in the same
 * run, over HTTPS with keep-alive and 16 connections that each wait for their answer.
 *
 *   npm run bench:api -- [--sizes 1000,10000,100000] [--rounds N] [--milliseconds N]
 *                        [--against URL --against-user NAME --against-password PASSWORD]
 *                        [--against-pid PID] [--against-sizes 1000,10000] [--profile DIRECTORY] [--smoke]
 *
 * `--against-pid` is for its CPU and memory, which are known only of a process on this machine. `--profile` has our
 * controller write CPU profiles, which slows it down a little.
 */
import { mkdtemp, open, rm } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Contender } from './contender.ts'
import { measureCeiling } from './load/ceiling.ts'
import { median } from './load/quantile.ts'
import { countOf, kinds, nothingSeeded, seed } from './network.ts'
import { OwnController } from './own-controller.ts'
import { changePolicy, type PolicyChange } from './policy-change.ts'
import { usageOf } from './process-usage.ts'
import { aligned, growth, type Line, refusals, table } from './report.ts'
import { measureChurn, measureSteady, type Plan, type Seeded } from './rounds.ts'
import { steadyWorkloads } from './workloads.ts'

const CONNECTIONS = 16

/** The size at which the policy over everything is measured: 10,000 identities and 1,000 services. */
const POLICY_SIZE = 10_000

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    rounds: { type: 'string', default: '3' },
    milliseconds: { type: 'string', default: '1000' },
    against: { type: 'string' },
    'against-user': { type: 'string', default: 'admin' },
    'against-password': { type: 'string', default: 'admin' },
    'against-pid': { type: 'string' },
    'against-sizes': { type: 'string', default: '1000,10000' },
    'policy-milliseconds': { type: 'string', default: '120000' },
    only: { type: 'string' },
    profile: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
})

await main()

async function main(): Promise<void> {
  const sizes = flags.smoke ? [200] : numbers(flags.sizes)
  const plan: Plan = {
    connections: CONNECTIONS,
    rounds: flags.smoke ? 1 : Number(flags.rounds),
    length: flags.smoke ? 30 : Number(flags.milliseconds),
    batch: flags.smoke ? 20 : 400,
  }
  await printInputs(sizes, plan)
  await using own = await OwnController.start({ profileDirectory: flags.profile })
  const contenders = [await Contender.open({ name: 'ours', isOurs: true, ...connectionTo(own) })]
  if (flags.against !== undefined && !flags.smoke) contenders.push(await openOther(flags.against))
  await run(contenders, sizes, plan)
}

function connectionTo({ url, username, password, pid }: OwnController) {
  return { url, username, password, pid }
}

function openOther(url: string): Promise<Contender> {
  return Contender.open({
    name: 'other',
    isOurs: false,
    url,
    username: flags['against-user'],
    password: flags['against-password'],
    pid: flags['against-pid'] === undefined ? undefined : Number(flags['against-pid']),
  })
}

async function run(contenders: readonly Contender[], sizes: readonly number[], plan: Plan): Promise<void> {
  const names = contenders.map(({ name }) => name)
  const everyone = contenders.map((contender) => ({ contender, ids: nothingSeeded() }))
  const otherSizes = numbers(flags['against-sizes'])
  const lines: Line[] = []
  const memory: string[][] = [['size', 'controller', 'seeded in s', 'resident MB']]
  for (const size of sizes) {
    const taking = everyone.filter((_, at) => at === 0 || otherSizes.includes(size))
    for (const { contender, ids } of taking) {
      const began = performance.now()
      await seed(contender, size, ids, CONNECTIONS)
      const seconds = (performance.now() - began) / 1000
      note(`${contender.name}: ${size} identities and what belongs to them in ${seconds.toFixed(1)} s`)
      memory.push([String(size), contender.name, seconds.toFixed(1), residentMegabytes(contender)])
    }
    lines.push(...(await measureSize(taking, size, plan)))
    for (const { contender } of taking)
      memory.push([String(size), contender.name, 'measured', residentMegabytes(contender)])
    if (size === POLICY_SIZE || flags.smoke) await measurePolicy(taking, size)
  }
  print(`\n${table(lines, names)}\n`)
  for (const told of refusals(lines)) print(`${told}\n`)
  if (sizes.length > 1) print(`\n${growth(lines, 'ours')}\n`)
  print(`\n${aligned(memory)}\n`)
}

async function measureSize(taking: readonly Seeded[], size: number, plan: Plan): Promise<Line[]> {
  const lines: Line[] = []
  const add = (kind: string, workload: string, measured: Line['measured']) => {
    lines.push({ size, kind, workload, measured })
    note(
      table(
        lines.slice(-1),
        taking.map(({ contender }) => contender.name),
      )
        .split('\n')
        .at(-1)!,
    )
  }
  for (const kind of kinds) {
    for (const workload of steadyWorkloads) {
      if (workload.kind !== kind || !isWanted(kind, workload.name)) continue
      add(kind, workload.name, await measureSteady(workload, taking, size, plan))
    }
    if (!isWanted(kind, 'create') && !isWanted(kind, 'delete')) continue
    const churn = await measureChurn(kind, taking, plan)
    add(kind, 'create', churn.create)
    add(kind, 'delete', churn.delete)
  }
  return lines
}

function isWanted(kind: string, workload: string): boolean {
  return flags.only === undefined || `${kind} ${workload}`.includes(flags.only)
}

/** Ours first and several times; the other once, and last, because nobody knows how long it takes. */
async function measurePolicy(taking: readonly Seeded[], size: number): Promise<void> {
  if (!isWanted('policy', 'change')) return
  const rows = [['controller', 'granted ms', 'revoked ms', 'deleted ms', 'slowest read meanwhile ms', 'times']]
  const milliseconds = Number(flags['policy-milliseconds'])
  for (const [at, { contender, ids }] of taking.entries()) {
    const changes: PolicyChange[] = []
    try {
      for (let times = at === 0 && !flags.smoke ? 10 : 1; times > 0; times--) {
        changes.push(await changePolicy(contender, ids, { milliseconds }))
      }
      const part = (name: keyof PolicyChange) => median(changes.map((change) => change[name])).toFixed(1)
      const slowest = Math.max(...changes.map(({ slowestRead }) => slowestRead)).toFixed(1)
      rows.push([contender.name, part('granted'), part('revoked'), part('deleted'), slowest, String(changes.length)])
    } catch (error) {
      rows.push([contender.name, (error as Error).message, '-', '-', '-', String(changes.length)])
    }
  }
  const services = countOf('services', size)
  print(`\na policy over ${size} identities x ${services} services, until a reader sees it\n${aligned(rows)}\n`)
}

async function printInputs(sizes: readonly number[], plan: Plan): Promise<void> {
  const { connections, rounds, length, batch } = plan
  const load = loadavg().map((value) => value.toFixed(2))
  print(`node ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown processor'}\n`)
  print(`load average before: ${load.join(' ')}; the generator of the load runs on the same machine\n`)
  print(`${connections} connections, ${rounds} rounds of ${length} ms in turns, creates and deletes by ${batch}\n`)
  for (const size of sizes) {
    print(`size ${size}: ${kinds.map((kind) => `${countOf(kind, size)} ${kind}`).join(', ')}\n`)
  }
  print('durability: ours SQLite in WAL mode with synchronous=FULL, each commit synced before it is answered\n')
  if (flags.against !== undefined)
    print(`            other as ${flags.against} was started, sizes ${flags['against-sizes']}\n`)
  print(`            4 KiB written and synced in ${(await syncMilliseconds()).toFixed(2)} ms (median)\n`)
  for (const { bytes, perSecond } of await measureCeiling([1_500, 150_000], { connections, milliseconds: length })) {
    print(`the generator takes at most ${perSecond.toFixed(0)} answers of ${bytes} bytes per second\n`)
  }
}

/** What the disk under the temporary directory takes for the smallest durable write. */
async function syncMilliseconds(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'weft-bench-'))
  try {
    await using file = await open(join(directory, 'synced'), 'w')
    const times: number[] = []
    for (let at = 0; at < 50; at++) {
      const began = performance.now()
      await file.write(Buffer.alloc(4_096))
      await file.datasync()
      times.push(performance.now() - began)
    }
    return median(times)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function residentMegabytes({ pid }: Contender): string {
  return usageOf(pid).residentMegabytes.toFixed(0)
}

function numbers(list: string): readonly number[] {
  return list.split(',').map(Number)
}

function print(text: string): void {
  process.stdout.write(text)
}

/** Progress goes to the other stream, so that the output is the report alone. */
function note(text: string): void {
  if (!flags.smoke) process.stderr.write(`${text}\n`)
}
