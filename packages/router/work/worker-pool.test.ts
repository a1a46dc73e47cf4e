import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricsRegistry } from '../metrics/registry.ts'
import { WorkerPool } from './worker-pool.ts'

function setUp(queueLength: number, workers: number) {
  const monotonic = () => performance.now()
  const metrics = new MetricsRegistry({ monotonic, random: Math.random })
  const errors: string[] = []
  const log = { error: (message: string) => void errors.push(message) }
  const pool = new WorkerPool({ metrics, monotonic, log }, { name: 'pool.x', queueLength, workers })
  const gauge = (name: string) => metrics.snapshot().gauges.get(`pool.x.${name}`)
  return { metrics, pool, errors, gauge }
}

test('so much at once, so much in line, and no more', async () => {
  const { pool, gauge, metrics } = setUp(2, 2)
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const done: number[] = []
  const offer = (at: number) => pool.offer(() => gates[at]!.promise.then(() => void done.push(at)))
  assert.deepEqual([0, 1, 2, 3].map(offer), [true, true, true, true])
  assert.equal(
    pool.offer(async () => {}),
    false,
  )
  assert.deepEqual([gauge('busy_workers'), gauge('queue_size'), gauge('worker_count')], [2, 2, 2])
  gates[1]!.resolve()
  gates[2]!.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(done, [1, 2])
  assert.equal(gauge('queue_size'), 0)
  gates[0]!.resolve()
  gates[3]!.resolve()
  await pool[Symbol.asyncDispose]()
  assert.deepEqual([done.length, gauge('busy_workers')], [4, 0])
  assert.equal(metrics.snapshot().timers.get('pool.x.work_timer')?.count, 4)
})

test('work that fails is told, and the next is done', async () => {
  const { pool, errors } = setUp(5, 1)
  let isDone = false
  pool.offer(() => Promise.reject(new Error('no')))
  pool.offer(async () => {
    isDone = true
  })
  while (!isDone) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(errors, ['work failed'])
})

test('the end gives up what waits', async () => {
  const { pool } = setUp(5, 1)
  const gate = Promise.withResolvers<void>()
  let late = 0
  pool.offer(() => gate.promise)
  pool.offer(async () => void late++)
  const ended = pool[Symbol.asyncDispose]()
  gate.resolve()
  await ended
  assert.deepEqual([late, pool.offer(async () => {})], [0, false])
})
