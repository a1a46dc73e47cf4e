import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram } from './histogram.ts'

const deps = { monotonic: () => 0, random: () => 0.5 }

test('an empty one is all zeros', () => {
  assert.deepEqual(new Set(Object.values(new Histogram(deps).distribution())), new Set([0]))
})

test('the numbers of a known sample', () => {
  const histogram = new Histogram(deps)
  for (let value = 1; value <= 100; value++) histogram.update(value)
  const found = histogram.distribution()
  assert.deepEqual([found.count, found.min, found.max, found.mean], [100, 1, 100, 50.5])
  const percentiles = [found.p50, found.p75, found.p95, found.p99, found.p999, found.p9999]
  assert.deepEqual(
    percentiles.map((value) => value.toFixed(6)),
    [50.5, 75.75, 95.95, 99.99, 100, 100].map((value) => value.toFixed(6)),
  )
  assert.equal(found.variance, 833.25)
  assert.equal(found.stdDev, Math.sqrt(833.25))
})

test('a single value is every percentile', () => {
  const histogram = new Histogram(deps)
  histogram.update(8_888_888_888_888)
  const { p50, p9999, mean } = histogram.distribution()
  assert.deepEqual([p50, p9999, mean], Array(3).fill(8_888_888_888_888))
})

test('clear forgets the count as well', () => {
  const histogram = new Histogram(deps)
  histogram.update(3)
  histogram.clear()
  assert.deepEqual([histogram.count, histogram.distribution().max], [0, 0])
})
