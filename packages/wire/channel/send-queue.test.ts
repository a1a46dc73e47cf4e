import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeededRandom } from '../testing/seeded-random.ts'
import { SendQueue } from './send-queue.ts'

function push(queue: SendQueue, size: number, mark = 0): boolean {
  return queue.push(Buffer.alloc(size, mark), 0, size, undefined, 0)
}

test('frames leave in the order they came, through many turns of the ring', () => {
  const queue = new SendQueue('q', 5, 1_000_000)
  const random = new SeededRandom(3)
  const expected: number[] = []
  let next = 0
  for (let round = 0; round < 2_000; round++) {
    if (random.below(2) === 0) {
      if (push(queue, 1, next % 256)) expected.push(next % 256)
      next++
    } else if (queue.shift()) assert.equal(queue.head[0], expected.shift())
    assert.equal(queue.length, expected.length)
    assert.equal(queue.bytes, expected.length)
  }
})

test('a large queue takes the memory that it needs, and keeps the order while it grows', () => {
  const queue = new SendQueue('q', 1_000_000, 1_000_000)
  let [pushed, taken] = [0, 0]
  const take = () => {
    queue.shift()
    assert.equal(queue.deadline, taken++)
  }
  const times: number[] = []
  for (let round = 0; round < 5_000; round++) {
    for (let count = 0; count < 3; count++) queue.push(Buffer.alloc(1), 0, 1, undefined, pushed++)
    take()
  }
  assert.equal(queue.length, 10_000)
  assert.equal(
    queue.pushMarker((now) => times.push(now)),
    true,
  )
  while (taken < pushed) take()
  queue.shift()
  queue.marker?.(1)
  assert.deepEqual([times, queue.length, queue.bytes], [[1], 0, 0])
})

test('it is full by number and by bytes, and says how often it refused', () => {
  const queue = new SendQueue('q', 3, 100)
  assert.equal(push(queue, 60), true)
  assert.equal(push(queue, 60), false)
  assert.equal(push(queue, 40), true)
  assert.equal(queue.bytes, 100)
  queue.shift()
  assert.equal(push(queue, 1), true)
  assert.equal(push(queue, 1), true)
  assert.equal(push(queue, 1), false)
  assert.equal(queue.refused, 2)
})

test('a frame larger than the bound is taken when it is alone', () => {
  const queue = new SendQueue('q', 3, 100)
  assert.equal(push(queue, 5_000), true)
  assert.equal(push(queue, 1), false)
  queue.shift()
  assert.equal(queue.bytes, 0)
})

test('whoever was refused is told when there is room', () => {
  const queue = new SendQueue('q', 2, 100)
  let told = 0
  queue.onRoom(() => told++)
  const empty = () => {
    queue.shift()
    queue.tellRoom()
  }
  push(queue, 1)
  empty()
  assert.equal(told, 0)
  push(queue, 1)
  push(queue, 1)
  push(queue, 1)
  empty()
  empty()
  assert.equal(told, 1)
})

test('a marker has its place in the order and no bytes', () => {
  const queue = new SendQueue('q', 3, 100)
  const times: number[] = []
  push(queue, 1)
  assert.equal(
    queue.pushMarker((now) => times.push(now)),
    true,
  )
  assert.equal(queue.bytes, 1)
  queue.shift()
  assert.deepEqual([queue.marker], [undefined])
  queue.shift()
  queue.marker?.(5)
  assert.deepEqual(times, [5])
})
