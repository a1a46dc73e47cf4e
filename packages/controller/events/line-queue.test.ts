import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LineQueue, type QueuedLine } from './line-queue.ts'

const line = (text: string): QueuedLine => ({ namespace: 'session', text, bytes: Buffer.byteLength(text) })
const texts = (lines: readonly QueuedLine[]) => lines.map(({ text }) => text)

test('refuses the newest when the number is reached', () => {
  const queue = new LineQueue({ maxLines: 2, maxBytes: 1_000 })
  assert.deepEqual(
    ['a', 'b', 'c'].map((text) => queue.push(line(text))),
    [true, true, false],
  )
  assert.deepEqual(texts(queue.peek(1_000)), ['a', 'b'])
})

test('refuses what would go beyond the bytes, and takes it when there is place', () => {
  const queue = new LineQueue({ maxLines: 10, maxBytes: 5 })
  assert.ok(queue.push(line('äa')))
  assert.ok(!queue.push(line('bbb')))
  assert.ok(queue.push(line('cc')))
  assert.equal(queue.bytes, 5)
  queue.drop(1)
  assert.ok(queue.push(line('bbb')))
  assert.deepEqual(texts(queue.peek(1_000)), ['cc', 'bbb'])
})

test('peek answers at least one line and otherwise stays within the bytes', () => {
  const queue = new LineQueue({ maxLines: 10, maxBytes: 100 })
  for (const text of ['aaaa', 'bb', 'cc']) queue.push(line(text))
  assert.deepEqual(texts(queue.peek(1)), ['aaaa'])
  assert.deepEqual(texts(queue.peek(6)), ['aaaa', 'bb'])
})

test('keeps order and count through many pushes and drops', () => {
  const queue = new LineQueue({ maxLines: 50, maxBytes: 10_000 })
  let next = 0
  let expected = 0
  for (let round = 0; round < 200; round++) {
    while (queue.push(line(String(next)))) next += 1
    const taken = queue.peek(round % 37)
    for (const { text } of taken) assert.equal(text, String(expected++))
    queue.drop(taken.length)
  }
  queue.drop(1_000)
  assert.deepEqual([queue.length, queue.bytes], [0, 0])
})
