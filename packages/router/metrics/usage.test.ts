import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageMeter } from './usage.ts'

function meterAt(now: number) {
  const time = { now }
  return { time, meter: new UsageMeter({ now: () => time.now, length: 60_000 }) }
}

const plain = (meter: UsageMeter) =>
  meter
    .take()
    .map(({ start, circuits }) => [
      start,
      Object.fromEntries([...circuits].map(([id, { values }]) => [id, Object.fromEntries(values)])),
    ])

test('bytes belong to the interval in which they moved', () => {
  const { meter, time } = meterAt(600_500)
  const circuit = meter.circuit('c1', new Map([['serviceId', 's']]))
  circuit.ingressRx += 10
  circuit.ingressRx += 5
  circuit.fabricTx += 15
  assert.equal(meter.untilClose, 59_500)
  assert.deepEqual(meter.take(), [], 'it is not over')
  time.now = 660_000
  meter.close()
  circuit.ingressRx += 1
  time.now = 720_001
  const [first, second, ...none] = meter.take()
  assert.deepEqual(none, [])
  assert.deepEqual([first!.start, first!.length], [600_000, 60_000])
  assert.deepEqual(
    [...first!.circuits.get('c1')!.values],
    [
      ['ingress.rx', 15],
      ['fabric.tx', 15],
    ],
  )
  assert.equal(first!.circuits.get('c1')!.tags.get('serviceId'), 's')
  assert.deepEqual([...second!.circuits.get('c1')!.values], [['ingress.rx', 1]])
  assert.deepEqual(meter.take(), [], 'taken once')
})

test('a circuit that ends is not forgotten, and both ends of one add up', () => {
  const { meter, time } = meterAt(0)
  {
    using near = meter.circuit('c1')
    using far = meter.circuit('c1')
    near.ingressRx += 7
    far.egressTx += 7
    far.ingressRx += 1
  }
  using idle = meter.circuit('idle')
  time.now = 60_000
  assert.deepEqual(plain(meter), [[0, { c1: { 'ingress.rx': 8, 'egress.tx': 7 } }]])
  assert.equal(idle.fabricRx, 0)
})

test('what no one takes is bounded', () => {
  const { meter, time } = meterAt(0)
  using circuit = meter.circuit('c')
  for (let minute = 1; minute <= 200; minute++) {
    circuit.fabricRx++
    time.now += 60_000
    meter.close()
  }
  assert.equal(meter.dropped, 80)
  assert.equal(meter.take().length, 120)
})
