/**
 * Path selection in a full mesh: how long a path takes, how long a change of a link holds up everything else, and what a
 * minute of measurements costs. The limit is a plain search from scratch with the same graph, in the same run.
 *
 *   node bench/paths.ts [--routers 400] [--smoke]
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { Link } from '../packages/controller/fabric/link.ts'
import { Paths } from '../packages/controller/fabric/paths.ts'
import { Topology } from '../packages/controller/fabric/topology.ts'
import { Seeded } from '../packages/controller/testing/seeded.ts'
import { quantile } from './load/quantile.ts'

const MILLISECOND = 1_000_000

const { values } = parseArgs({
  options: { routers: { type: 'string', default: '400' }, smoke: { type: 'boolean', default: false } },
})
const routers = values.smoke ? 40 : Number(values.routers)
const rounds = values.smoke ? 50 : 2_000

const random = new Seeded(7)
const topology = new Topology({ minRouterCost: 10 })
const paths = new Paths(topology)
const ids = Array.from({ length: routers }, (_, at) => `router-${at}`)
const links: Link[] = []

const startedAt = performance.now()
for (const id of ids) topology.setOnline(id, { cost: random.below(50), noTraversal: false })
for (const [at, from] of ids.entries()) for (const to of ids.slice(at + 1)) addLink(from, to)
const built = performance.now() - startedAt

console.log(`${routers} routers, ${links.length} links; Node ${process.version}, ${cpus()[0]?.model ?? 'unknown'}`)
console.log(`built in ${built.toFixed(0)} ms\n`)

report(
  'path, first from a router',
  measure(ids.length, (at) => paths.between(ids[at]!, ids[(at + 1) % routers]!)),
)
report('path, nothing changed', measure(rounds, askAnything))
report(
  'link measured again',
  measure(rounds, () => measureAnew(random.pick(links))),
)
report(
  'path after a measurement',
  measureAfter(rounds, () => measureAnew(random.pick(links)), askAnything),
)
report(
  'link gone',
  measure(Math.min(rounds, links.length - 1), () => topology.removeLink(links.pop()!)),
)
report(
  'link new',
  measure(rounds, () => addLink(random.pick(ids), random.pick(ids))),
)
report('path after both', measureAfter(rounds, goAndCome, askAnything))
report(
  'router gone and back',
  measure(Math.min(rounds, 200), () => leaveAndReturn(random.pick(ids))),
)
report(
  'path after that',
  measureAfter(Math.min(rounds, 200), () => leaveAndReturn(random.pick(ids)), askAnything),
)
report(
  'all links of a router measured',
  measure(Math.min(rounds, routers), (at) => measureAll(ids[at]!)),
)
report(
  'path after that',
  measureAfter(Math.min(rounds, routers), (at) => measureAll(ids[at]!), askAnything),
)
report('search from scratch (limit)', measure(Math.min(rounds, 200), searchFromScratch))

function addLink(from: string, to: string): void {
  const id = `link-${links.length}-${random.below(1_000_000)}`
  const link = new Link(from, { id, destRouterId: to, protocol: 'tls', dialAddress: '', iteration: 1 }, 0)
  link.setLatency('source', random.below(120) * MILLISECOND)
  link.setLatency('dest', random.below(120) * MILLISECOND)
  if (from === to) return
  links.push(link)
  topology.addLink(link)
}

function measureAnew(link: Link): void {
  link.setLatency(random.chance(2) ? 'source' : 'dest', random.below(120) * MILLISECOND)
  topology.linkChanged(link)
}

function measureAll(routerId: string): void {
  for (const link of links) if (link.isEnd(routerId)) measureAnew(link)
}

function goAndCome(): void {
  topology.removeLink(links.pop()!)
  addLink(random.pick(ids), random.pick(ids))
}

function leaveAndReturn(id: string): void {
  topology.setOffline(id)
  topology.setOnline(id, { cost: random.below(50), noTraversal: false })
}

function askAnything(): void {
  paths.between(random.pick(ids), random.pick(ids))
}

function searchFromScratch(): void {
  new Paths(topology).between(random.pick(ids), random.pick(ids))
}

function measure(times: number, run: (at: number) => void): number[] {
  return measureAfter(times, () => undefined, run)
}

/** Times `run` alone, each after a `before` that does not count. */
function measureAfter(times: number, before: (at: number) => void, run: (at: number) => void): number[] {
  const taken: number[] = []
  for (let at = 0; at < times; at++) {
    before(at)
    const start = performance.now()
    run(at)
    taken.push((performance.now() - start) * 1_000)
  }
  return taken
}

function report(what: string, microseconds: readonly number[]): void {
  const columns = [0.5, 0.99, 1].map((part) => quantile(microseconds, part).toFixed(1).padStart(9))
  console.log(`${what.padEnd(34)} µs  p50 ${columns[0]}   p99 ${columns[1]}   most ${columns[2]}`)
}
