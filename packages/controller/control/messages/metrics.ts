/** What a router has measured. Latencies of its links are what paths cost; the rest is passed on. */
import { MetricsReport } from '@weft/wire/messages'
import { defineFrameHandler } from '../handler.ts'

export const metrics = defineFrameHandler('metrics', ({ frame, from }, { fabric, reports }) => {
  const report = new MetricsReport(frame.body)
  fabric.state.links.measured(from, report.linkLatencies())
  if (!report.isForAnother) reports.metrics(from.routerId, report)
})
