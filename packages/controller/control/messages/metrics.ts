/** What a router has measured. Latencies of its links are what paths cost; the rest is passed on. */
import type { MetricsMessage } from '@weft/wire/messages'
import type { MeasuredLatency } from '../../fabric/links.ts'
import { defineHandler } from '../handler.ts'

const [LINK, LATENCY] = ['link.', '.latency']

export const metrics = defineHandler('metrics', ({ message: { body }, from }, { fabric, reports }) => {
  fabric.state.links.measured(from, latencies(body))
  // Of several controllers one passes metrics on: the one to which the router has sent them first.
  if (!body.doNotPropagate) reports.metrics(from.routerId, body)
})

function* latencies({ histograms }: MetricsMessage): Generator<MeasuredLatency> {
  for (const [name, { mean }] of histograms) {
    if (!name.startsWith(LINK) || !name.endsWith(LATENCY)) continue
    const linkId = name.slice(LINK.length, -LATENCY.length)
    yield { linkId, nanoseconds: mean + (histograms.get(`link.${linkId}.queue_time`)?.mean ?? 0) }
  }
}
