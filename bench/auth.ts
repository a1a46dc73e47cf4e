/**
 * What coming in costs: logins by certificate and by password, refreshed tokens, enrollments; our controller, started here,
 * and another OpenZiti-compatible one beside it in the same run, over HTTPS with 16 connections that each wait for their
 * answer.
 *
 *   npm run bench:auth -- [--rounds N] [--milliseconds N]
 *                         [--against URL --against-user NAME --against-password PASSWORD] [--against-pid PID]
 *                         [--only TEXT] [--profile DIRECTORY] [--smoke]
 *
 * `--against-pid` is for its CPU, which is known only of a process on this machine. `--only` measures what has the text in its
 * kind and name, such as `login by certificate`. `--profile` has our controller write CPU profiles.
 */
import { argon2 } from 'node:crypto'
import { parseArgs, promisify } from 'node:util'
import { type AuthWorkload, authWorkloads, passwordWorkload } from './auth-workloads.ts'
import { Contender } from './contender.ts'
import { type Crowd, gather } from './crowd.ts'
import { comparisonFlags, openOther } from './flags.ts'
import { inputs } from './inputs.ts'
import { OwnController } from './own-controller.ts'
import { type Line, refusals, table } from './report.ts'
import { alternate, type Plan } from './rounds.ts'

const CONNECTIONS = 16
/** Of certificates, and of sessions whose tokens are refreshed: more than connections, so that none waits for one. */
const CROWD = 32

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    milliseconds: { type: 'string', default: '1000' },
    ...comparisonFlags,
  },
})

await main()

async function main(): Promise<void> {
  const plan: Plan = {
    connections: flags.smoke ? 4 : CONNECTIONS,
    rounds: flags.smoke ? 1 : Number(flags.rounds),
    length: flags.smoke ? 50 : Number(flags.milliseconds),
    batch: flags.smoke ? 10 : 400,
  }
  for await (const line of inputs([], plan)) print(`${line}\n`)
  if (flags.against !== undefined) print(`against ${flags.against}, as it was started\n`)
  await using own = await OwnController.start({ profileDirectory: flags.profile })
  const { url, username, password, pid } = own
  const contenders = [await Contender.open({ name: 'ours', isOurs: true, url, username, password, pid })]
  if (flags.against !== undefined) contenders.push(await openOther(flags.against, flags))
  const crowds: Crowd[] = []
  for (const contender of contenders) crowds.push(await gather(contender, flags.smoke ? 4 : CROWD))
  const names = contenders.map(({ name }) => name)
  report(names, await measureAll(authWorkloads, crowds, plan))
  if (!isWanted(passwordWorkload)) return
  print('\nlogins by password, which cost what the hash costs\n')
  report(names, await measureAll([passwordWorkload], crowds, plan))
  const milliseconds = (await hashMilliseconds(flags.smoke ? 1 : 20)).toFixed(1)
  print(`ours: argon2id, 19 MiB, two passes, one lane: ${milliseconds} ms of one core for each hash, two at a time\n`)
}

async function measureAll(workloads: readonly AuthWorkload[], crowds: readonly Crowd[], plan: Plan): Promise<Line[]> {
  const lines: Line[] = []
  for (const workload of workloads.filter(isWanted)) {
    const measured = await alternate(crowds, plan, (crowd, round) => workload.measure(crowd, plan, round))
    lines.push({ size: crowds[0]!.certificates.length, kind: workload.kind, workload: workload.name, measured })
  }
  return lines
}

function isWanted({ kind, name }: AuthWorkload): boolean {
  return flags.only === undefined || `${kind} ${name}`.includes(flags.only)
}

function report(names: readonly string[], lines: readonly Line[]): void {
  print(`\n${table(lines, names)}\n`)
  for (const told of refusals(lines)) print(`${told}\n`)
}

/** What one hash takes of a processor, however busy the machine is. */
async function hashMilliseconds(times: number): Promise<number> {
  const hash = promisify(argon2)
  const [message, nonce] = [Buffer.from('a password'), Buffer.alloc(16)]
  const before = process.cpuUsage()
  for (let at = 0; at < times; at++) {
    await hash('argon2id', { message, nonce, memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 })
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / times
}

function print(text: string): void {
  process.stdout.write(text)
}
