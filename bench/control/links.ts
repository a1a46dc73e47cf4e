/**
 * How fast links form: every router says which links it has dialled, so that each pair of routers has one, and then how
 * long its links take. Links count as formed when the Fabric API lists all of them, and as measured when it shows what was
 * reported last.
 */
import { controlMessages } from '@weft/wire/messages'
import { dialledLink, latencyReport } from '../../packages/wire/testing/simulated-router.ts'
import { LoadConnection } from '../load/connection.ts'
import { usageOf } from '../process-usage.ts'
import { nothing, type Round } from '../rounds.ts'
import { type Fleet, until } from './fleet.ts'

const LINKS = '/fabric/v1/links'
/** What every end says its link takes; links begin with another value. */
const NANOSECONDS = 12_345_678

interface ListedLink {
  readonly sourceLatency: number
  readonly destLatency: number
}

/** Reports a full mesh. */
export async function formLinks(fleet: Fleet, label: string): Promise<Round> {
  const { contender, routers } = fleet
  const reports = routers.map((_, at) => {
    const peers = routers.slice(at + 1)
    const links = peers.map(({ routerId }, index) => dialledLink(linkId(label, at, at + 1 + index), routerId))
    return controlMessages.encode('routerLinks', { body: { links } })
  })
  return await timed(fleet, linksIn(fleet), async (connection) => {
    for (const [at, report] of reports.entries()) await routers[at]!.channel.send(report)
    await until('all links are listed', async () => {
      const { meta } = await contender.callOn(connection, 'GET', `${LINKS}?limit=1`)
      return meta.pagination!.totalCount === linksIn(fleet)
    })
  })
}

/** Both ends of every link report how long it takes; `label` is that of the links. */
export async function measureLinks(fleet: Fleet, label: string): Promise<Round> {
  const { contender, routers } = fleet
  const last = routers.length - 1
  // Of the last router as a whole, and of the first, whose report may have been put off.
  const samples = [linkId(label, last - 1, last), linkId(label, 0, 1)]
  const reports = routers.map(({ routerId }, at) => {
    const peers = routers.map((_, other) => other).filter((other) => other !== at)
    const ids = peers.map((other) => linkId(label, Math.min(at, other), Math.max(at, other)))
    return controlMessages.encode(
      'metrics',
      latencyReport(
        routerId,
        ids.map((id) => [id, NANOSECONDS]),
      ),
    )
  })
  return await timed(fleet, 2 * linksIn(fleet), async (connection) => {
    for (const [at, report] of reports.entries()) await routers[at]!.channel.send(report)
    for (const id of samples) {
      await until(`link ${id} shows its latency`, async () => {
        const { data } = await contender.callOn<ListedLink>(connection, 'GET', `${LINKS}/${id}`)
        return Math.abs(data.sourceLatency - NANOSECONDS) < 1 && Math.abs(data.destLatency - NANOSECONDS) < 1
      })
    }
  })
}

function linksIn({ routers }: Fleet): number {
  return (routers.length * (routers.length - 1)) / 2
}

function linkId(label: string, source: number, dest: number): string {
  return `link-${label}-${source}-${dest}`
}

/** All of them took as long as the whole: nobody sees one before. */
async function timed(
  { contender }: Fleet,
  count: number,
  run: (connection: LoadConnection) => Promise<void>,
): Promise<Round> {
  using connection = await LoadConnection.open(contender.endpoint, { keepsBody: true })
  const cpu = usageOf(contender.pid).cpuSeconds
  const began = performance.now()
  await run(connection)
  const milliseconds = performance.now() - began
  const latencies = Array.from({ length: count }, () => milliseconds)
  const cpuSeconds = usageOf(contender.pid).cpuSeconds - cpu
  return { ...nothing, latencies, seconds: milliseconds / 1_000, cpuSeconds }
}
