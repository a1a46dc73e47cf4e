/**
 * What the management API costs: our controller, started here, and another OpenZiti-compatible one beside it in the same
 * run, over HTTPS with keep-alive and 16 connections that each wait for their answer.
 *
 *   npm run bench:api -- [--sizes 1000,10000,100000] [--rounds N] [--milliseconds N]
 *                        [--against URL --against-user NAME --against-password PASSWORD]
 *                        [--against-pid PID] [--against-sizes 1000,10000] [--policy-milliseconds N]
 *                        [--only TEXT] [--profile DIRECTORY] [--smoke]
 *
 * `--against-pid` is for its CPU and memory, which are known only of a process on this machine. `--only` measures what has
 * the text in its kind and name, such as `identities list`. `--profile` has our controller write CPU profiles, which slows
 * it down a little.
 */
import { parseArgs } from 'node:util'
import { Contender } from './contender.ts'
import { comparisonFlags, openOther } from './flags.ts'
import { inputs } from './inputs.ts'
import { median } from './load/quantile.ts'
import { countOf, kinds, nothingSeeded, type SeededIds, seed } from './network.ts'
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
    ...comparisonFlags,
    'against-sizes': { type: 'string', default: '1000,10000' },
    'policy-milliseconds': { type: 'string', default: '120000' },
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
  for await (const line of inputs(sizes, plan)) print(`${line}\n`)
  if (flags.against !== undefined) print(`against ${flags.against}, at ${flags['against-sizes']}, as it was started\n`)
  await using own = await OwnController.start({ profileDirectory: flags.profile })
  const ours = await openOwn('ours', own)
  const others = flags.against === undefined || flags.smoke ? [] : [await openOther(flags.against, flags)]
  const grown = await compareControllers([ours, ...others], sizes, plan)
  const [smallest, largest] = [Math.min(...sizes), Math.max(...sizes)]
  if (smallest < largest) await measureGrowth({ contender: ours, ids: grown, size: largest }, smallest, plan)
}

function openOwn(name: string, { url, username, password, pid }: OwnController): Promise<Contender> {
  return Contender.open({ name, isOurs: true, url, username, password, pid })
}

/** Measures at each size what takes part in it, and answers what our controller holds at the end. */
async function compareControllers(
  contenders: readonly Contender[],
  sizes: readonly number[],
  plan: Plan,
): Promise<SeededIds> {
  const everyone = contenders.map((contender) => ({ contender, ids: nothingSeeded() }))
  const otherSizes = numbers(flags['against-sizes'])
  const lines: Line[] = []
  const memory: string[][] = [['size', 'controller', 'seeded in s', 'resident MB', 'after load']]
  for (const size of sizes) {
    const taking = everyone
      .filter(({ contender }) => contender.isOurs || otherSizes.includes(size))
      .map((one) => ({ ...one, size }))
    const seeded = new Map<Contender, string[]>()
    for (const one of taking) seeded.set(one.contender, await grow(one))
    lines.push(...(await measureAll(taking, plan)))
    for (const [contender, row] of seeded) memory.push([String(size), ...row, residentMegabytes(contender)])
    if (size === POLICY_SIZE || flags.smoke) await measurePolicy(taking, size)
  }
  const names = contenders.map(({ name }) => name)
  print(`\n${table(lines, names)}\n`)
  for (const told of refusals(lines)) print(`${told}\n`)
  print(`\n${aligned(memory)}\n`)
  return everyone[0]!.ids
}

/** A second controller of ours with a small network, in turns with the one that has grown large. */
async function measureGrowth(large: Seeded, size: number, plan: Plan): Promise<void> {
  await using own = await OwnController.start()
  const small = { contender: await openOwn(`at ${size}`, own), ids: nothingSeeded(), size }
  await grow(small)
  const lines = await measureAll([large, small], plan)
  print(`\nfrom ${size} to ${large.size}\n${growth(lines, small.contender.name, large.contender.name)}\n`)
}

async function grow({ contender, ids, size }: Seeded): Promise<string[]> {
  const began = performance.now()
  await seed(contender, size, ids, CONNECTIONS)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  note(`${contender.name}: ${size} identities and what belongs to them in ${seconds} s`)
  return [contender.name, seconds, residentMegabytes(contender)]
}

async function measureAll(taking: readonly Seeded[], plan: Plan): Promise<Line[]> {
  const names = taking.map(({ contender }) => contender.name)
  const { size } = taking[0]!
  const lines: Line[] = []
  const add = (kind: string, workload: string, measured: Line['measured']) => {
    const line = { size, kind, workload, measured }
    lines.push(line)
    note(table([line], names).split('\n').at(-1)!)
  }
  for (const kind of kinds) {
    for (const workload of steadyWorkloads) {
      if (workload.kind !== kind || !isWanted(kind, workload.name)) continue
      add(kind, workload.name, await measureSteady(workload, taking, plan))
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
