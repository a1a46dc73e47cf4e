/** Links that come and go leave nothing behind. WEFT_LONG makes it many. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../testing/eventually.ts'
import { type TestRouterLinks, testRouterLinks } from '../testing/test-router-links.ts'

const cycles = process.env['WEFT_LONG'] ? 2_000 : 30
const limits = { timeout: 20_000 + cycles * 500 }
const linkOf = ({ links }: TestRouterLinks) => [...links.registry.links()][0]

/** What the process has open, by kind. */
function open(kind: string): number {
  return process.getActiveResourcesInfo().filter((each) => each === kind).length
}

test('after many losses there is one link, with its connections, metrics and timers', limits, async () => {
  await using one = await testRouterLinks('r1', { dialer: { maxDefaultConnections: 2, maxAckConnections: 1 } })
  await using other = await testRouterLinks('r2')
  const isWhole = () => linkOf(one)?.connState().conns.length === 3 && linkOf(other)?.connState().conns.length === 3
  // Only one of them dials: links that lose against another stay open for a while.
  one.hearsOf(other)
  await eventually(isWhole, 'the link is there')
  const before = { sockets: open('TCPSocketWrap'), metrics: one.metrics.size + other.metrics.size }
  for (let cycle = 0; cycle < cycles; cycle++) {
    const [router, peer] = cycle % 2 === 0 ? [one, other] : [other, one]
    const link = linkOf(router)!
    link.close()
    await link.closed
    const isNew = (next: TestRouterLinks) => linkOf(next) !== undefined && linkOf(next) !== link
    await eventually(
      () => isNew(router) && linkOf(peer)?.id === linkOf(router)?.id,
      `cycle ${cycle}: it is there again`,
    )
  }
  await eventually(isWhole, 'the link is whole again')
  await eventually(() => open('TCPSocketWrap') <= before.sockets, 'no connection is left over')
  assert.equal(one.metrics.size + other.metrics.size, before.metrics)
  assert.ok(open('Timeout') < 200, `${open('Timeout')} timers`)
})
