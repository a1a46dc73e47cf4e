import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricsReport, metricsMessage } from '@weft/wire/messages'
import { Registry } from 'prom-client'
import { ConnectedRouters } from '../../fabric/connected-routers.ts'
import { handClock, routerFacts, TestRouter } from '../../fabric/test-fabric.ts'
import { RouterMetrics } from './router-metrics.ts'

test('shows what connected routers measured last, without that of single links', async () => {
  const registry = new Registry()
  const routers = new ConnectedRouters({ clock: handClock() }, { routerConnectChurnLimit: 0 })
  using metrics = new RouterMetrics(registry, routers)
  const router = new TestRouter('r1')
  routers.connect(router, routerFacts)
  const report = (goroutines: bigint) =>
    new MetricsReport(
      metricsMessage.encode({
        intValues: new Map([['goroutines', goroutines]]),
        histograms: new Map([['link.l1.latency', { count: 1n, mean: 5 }]]),
        timers: new Map([['dial', { count: 3n, mean: 2, p95: 4 }]]),
      }),
    )
  metrics.take('r1', report(5n).ofRouter())
  metrics.take('r1', report(7n).ofRouter())
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('weft_router_metric'))
  assert.deepEqual(lines, [
    'weft_router_metric{router="r1",metric="goroutines",value="value"} 7',
    'weft_router_metric{router="r1",metric="dial",value="count"} 3',
    'weft_router_metric{router="r1",metric="dial",value="mean"} 2',
    'weft_router_metric{router="r1",metric="dial",value="p95"} 4',
  ])
  routers.disconnect(router)
  assert.doesNotMatch(await registry.metrics(), /router="r1"/)
})
