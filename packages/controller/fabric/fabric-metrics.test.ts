import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { FabricMetrics } from './fabric-metrics.ts'
import { TestFabric } from './test-fabric.ts'

test('the fabric shows how much there is, and why circuits fail', async (t) => {
  await using net = new TestFabric(t)
  const registry = new Registry()
  using _ = new FabricMetrics(registry, net.fabric)
  const [a, b] = [net.router('a'), net.router('b')]
  net.link(a, b)
  net.service('s')
  await assert.rejects(net.dial(a, 's'))
  net.terminator('t', 's', b)
  await net.dial(a, 's')
  const text = await registry.metrics()
  for (const line of [
    'weft_fabric_routers 2',
    'weft_fabric_links 1',
    'weft_fabric_circuits 1',
    'weft_fabric_circuits_making 0',
    'weft_fabric_circuits_moving 0',
    'weft_fabric_circuit_events_total{event="failed",cause="NO_TERMINATORS"} 1',
    'weft_fabric_circuit_events_total{event="created",cause=""} 1',
  ]) {
    assert.ok(text.split('\n').includes(line), line)
  }
})
