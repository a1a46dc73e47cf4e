import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeededRandom } from '../testing/seeded-random.ts'
import { WriteBatch } from './write-batch.ts'

function written(parts: readonly Buffer[], isWhole = false): Buffer[] {
  const batch = new WriteBatch()
  for (const part of parts) {
    // Each part lies somewhere inside a larger buffer.
    batch.add(Buffer.concat([Buffer.from('<<'), part, Buffer.from('>')]), 2, 2 + part.length)
  }
  assert.equal(batch.size, Buffer.concat(parts).length)
  const writes: Buffer[] = []
  batch.writeTo((bytes) => void writes.push(bytes), isWhole)
  assert.equal(batch.size, 0)
  batch.writeTo(() => assert.fail('there is nothing left'), isWhole)
  return writes
}

test('the bytes are those that were added, in their order', () => {
  const random = new SeededRandom(8)
  for (let round = 0; round < 200; round++) {
    const sizes = Array.from(
      { length: 1 + random.below(10) },
      () => 1 + random.below(random.below(5) === 0 ? 70_000 : 300),
    )
    const parts = sizes.map((size) => Buffer.alloc(size, random.below(256)))
    const whole = Buffer.concat(parts)
    assert.ok(Buffer.concat(written(parts)).equals(whole))
    const [only, ...others] = written(parts, true)
    assert.ok(only!.equals(whole) && others.length === 0)
  }
})

test('small parts go together, large ones alone and where they are', () => {
  const small = Buffer.alloc(100)
  const large = Buffer.alloc(60_000)
  const lengths = (parts: Buffer[]) => written(parts).map(({ length }) => length)
  assert.deepEqual(lengths([small, small, small]), [300])
  assert.deepEqual(lengths([small, small, large, small]), [60_300])
  assert.deepEqual(lengths([small, small, large, large, small]), [200, 60_000, 60_000, 100])
  const batch = new WriteBatch()
  batch.add(large, 0, large.length)
  batch.writeTo((bytes) => assert.equal(bytes, large), false)
})
