/**
 * Path selection in a full mesh: how long a path takes, how long a change of a link holds up everything else, and what a
 * router's report of all its links costs. Routers lie on a map, and links take as long as they are, and a little more each
 * time they are measured. What it is compared with is a search from scratch over the same graph, in the same run.
 *
 *   node bench/paths.ts [--routers 400] [--smoke]
 */
import { cpus, loadavg } from 'node:os'
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

/** Milliseconds from one side of the map to the other, and how much two measurements of a link may differ. */
const MAP = 120
const JITTER = 3

const random = new Seeded(7)
const topology = new Topology({ minRouterCost: 10 })
const paths = new Paths(topology)
const ids = Array.from({ length: routers }, (_, at) => `router-${at}`)
const places = new Map(ids.map((id) => [id, [random.below(MAP), random.below(MAP)] as const]))
const links: Link[] = []
const linksOf = new Map(ids.map((id) => [id, new Set<Link>()]))

const startedAt = performance.now()
for (const id of ids) topology.setOnline(id, { cost: random.below(50), noTraversal: false })
for (const [at, from] of ids.entries()) for (const to of ids.slice(at + 1)) addLink(from, to)
const built = performance.now() - startedAt

console.log(`${routers} routers, ${links.length} links; Node ${process.version}, ${cpus()[0]?.model ?? 'unknown'}`)
console.log(`built in ${built.toFixed(0)} ms; load average before: ${loadavg()[0]!.toFixed(1)}\n`)

report('path, first from a router', measure(routers, askFirst))
report('path, nothing changed', measure(rounds, askAnything))
report('link measured again', measure(rounds, measureAnyLink))
report('path after a measurement', measureAfter(rounds, measureAnyLink, askAnything))
report('link gone', measure(Math.min(rounds, links.length - 1), removeLink))
report('link new', measure(rounds, addAnyLink))
report('path after both', measureAfter(rounds, goAndCome, askAnything))
report('all links of a router measured', measure(routers, measureAll))
report('path after that', measureAfter(routers, measureAll, askAnything))
report('router gone and back', measure(routers, leaveAndReturn))
report('path after that', measureAfter(routers, leaveAndReturn, askAnything))
report('search from scratch', measure(routers, searchFromScratch))

function addLink(from: string, to: string): void {
  if (from === to) return
  const id = `link-${links.length}-${random.below(1_000_000)}`
  const link = new Link(from, { id, destRouterId: to, protocol: 'tls', dialAddress: '', iteration: 1 }, 0)
  link.setLatency('source', latency(link))
  link.setLatency('dest', latency(link))
  links.push(link)
  linksOf.get(from)!.add(link)
  linksOf.get(to)!.add(link)
  topology.addLink(link)
}

function addAnyLink(): void {
  addLink(random.pick(ids), random.pick(ids))
}

function removeLink(): void {
  const link = links.pop()!
  linksOf.get(link.sourceRouterId)!.delete(link)
  linksOf.get(link.destRouterId)!.delete(link)
  topology.removeLink(link)
}

function goAndCome(): void {
  removeLink()
  addAnyLink()
}

function latency({ sourceRouterId, destRouterId }: Link): number {
  const [x, y] = places.get(sourceRouterId)!
  const [u, v] = places.get(destRouterId)!
  return (Math.hypot(x - u, y - v) + random.below(JITTER)) * MILLISECOND
}

function measureLink(link: Link): void {
  link.setLatency(random.chance(2) ? 'source' : 'dest', latency(link))
  topology.linkChanged(link)
}

function measureAnyLink(): void {
  measureLink(random.pick(links))
}

function measureAll(at: number): void {
  for (const link of linksOf.get(ids[at]!)!) measureLink(link)
}

function leaveAndReturn(at: number): void {
  topology.setOffline(ids[at]!)
  topology.setOnline(ids[at]!, { cost: random.below(50), noTraversal: false })
}

function askFirst(at: number): void {
  paths.between(ids[at]!, ids[(at + 1) % routers]!)
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
