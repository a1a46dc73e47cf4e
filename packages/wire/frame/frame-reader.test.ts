import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeededRandom } from '../testing/seeded-random.ts'
import { dataLimits, FrameBudget, type FrameLimits, helloLimits } from './frame-limits.ts'
import { FrameReader } from './frame-reader.ts'
import { Headers } from './headers.ts'
import { encodeFrame } from './message.ts'
import { ProtocolError } from './protocol-error.ts'

function collect(limits: FrameLimits = dataLimits, budget?: FrameBudget) {
  const frames: Buffer[] = []
  const reader = new FrameReader((buffer, start, end) => frames.push(buffer.subarray(start, end)), limits, budget)
  return { frames, reader }
}

function frameOf(bodyLength: number, sequence: number): Buffer {
  return encodeFrame(1100, new Headers().set(2256, 'circuit'), Buffer.alloc(bodyLength, sequence), sequence)
}

test('frames come out whole however the stream is cut', () => {
  const random = new SeededRandom(11)
  for (let round = 0; round < 200; round++) {
    const sizes = Array.from({ length: 1 + random.below(12) }, () => random.below(round % 4 === 0 ? 40_000 : 60))
    const frames = sizes.map((size, index) => frameOf(size, index))
    const stream = Buffer.concat(frames)
    const { frames: read, reader } = collect()
    for (let at = 0; at < stream.length; ) {
      const next = Math.min(stream.length, at + 1 + random.below(round % 2 === 0 ? 30 : 20_000))
      reader.push(Buffer.from(stream.subarray(at, next)))
      at = next
    }
    assert.deepEqual(read, frames)
    assert.equal(reader.pending, 0)
  }
})

test('single bytes are enough', () => {
  const frame = frameOf(5, 1)
  const { frames, reader } = collect()
  for (const byte of frame) reader.push(Buffer.from([byte]))
  assert.deepEqual(frames, [frame])
})

test('a frame within its chunk is not copied', () => {
  const chunk = Buffer.concat([frameOf(3, 1), frameOf(4, 2)])
  const { frames, reader } = collect()
  reader.push(chunk)
  assert.equal(frames.length, 2)
  for (const frame of frames) assert.equal(frame.buffer, chunk.buffer)
})

test('a large frame is gathered as it arrives and charged for what has arrived', () => {
  const budget = new FrameBudget(1024 * 1024)
  const { frames, reader } = collect(dataLimits, budget)
  const frame = frameOf(600_000, 3)
  reader.push(frame.subarray(0, 20))
  assert.equal(budget.held, 64 * 1024)
  for (let at = 20; at < frame.length; at += 10_000) reader.push(frame.subarray(at, at + 10_000))
  assert.deepEqual(frames, [frame])
  assert.equal(budget.held, 0)
})

test('twenty bytes that announce a large frame reserve next to nothing', () => {
  const budget = new FrameBudget()
  const { reader } = collect(dataLimits, budget)
  const announcement = frameOf(0, 1).subarray(0, 20)
  announcement.writeUInt32LE(dataLimits.body, 16)
  reader.push(announcement)
  assert.equal(budget.held, 64 * 1024)
  reader[Symbol.dispose]()
  assert.equal(budget.held, 0)
})

test('unfinished frames of all readers together stay within the budget', () => {
  const budget = new FrameBudget(200 * 1024)
  const readers = Array.from({ length: 4 }, () => collect(dataLimits, budget).reader)
  const frame = frameOf(1_000_000, 1)
  readers[0]!.push(frame.subarray(0, 70_000))
  readers[1]!.push(frame.subarray(0, 20))
  assert.throws(() => readers[2]!.push(frame.subarray(0, 20)), { code: 'NO_MEMORY' })
  for (const reader of readers) reader[Symbol.dispose]()
  assert.equal(budget.held, 0)
})

test('what is too large is refused by its announcement', () => {
  const headers = frameOf(0, 1).subarray(0, 20)
  headers.writeUInt32LE(helloLimits.headers + 1, 12)
  assert.throws(() => collect(helloLimits).reader.push(headers), { code: 'HEADERS_TOO_LARGE' })
  const body = frameOf(0, 1).subarray(0, 20)
  body.writeUInt32LE(0xffffffff, 16)
  assert.throws(() => collect(helloLimits).reader.push(body), { code: 'BODY_TOO_LARGE' })
})

test('a wrong magic is known after four bytes', () => {
  const { reader } = collect()
  reader.push(Buffer.from([0x03, 0x06]))
  assert.throws(() => reader.push(Buffer.from([0x09, 0x0d])), { code: 'BAD_MAGIC' })
})

test('a held reader keeps back what follows, and goes on with it', () => {
  const seen: number[] = []
  const reader: FrameReader = new FrameReader((buffer, start) => {
    seen.push(buffer.readInt32LE(start + 8))
    reader.hold()
  }, dataLimits)
  const stream = Buffer.concat([frameOf(1, 1), frameOf(1, 2), frameOf(1, 3), frameOf(9, 4)])
  reader.push(stream.subarray(0, 100))
  reader.push(stream.subarray(100))
  assert.deepEqual(seen, [1])
  assert.equal(reader.pending, stream.length - frameOf(1, 1).length)
  reader.release()
  assert.deepEqual(seen, [1, 2])
  reader.become((buffer, start) => seen.push(100 + buffer.readInt32LE(start + 8)), dataLimits)
  reader.release()
  assert.deepEqual(seen, [1, 2, 103, 104])
  assert.equal(reader.pending, 0)
})

test('chunks that come while the reader is held keep their order', () => {
  const seen: number[] = []
  let isStepwise = true
  const reader: FrameReader = new FrameReader((buffer, start) => {
    seen.push(buffer.readInt32LE(start + 8))
    if (isStepwise) reader.hold()
  }, dataLimits)
  for (let pair = 0; pair < 3; pair++) reader.push(Buffer.concat([frameOf(1, pair * 2), frameOf(1, pair * 2 + 1)]))
  reader.release()
  reader.release()
  isStepwise = false
  reader.release()
  assert.deepEqual(seen, [0, 1, 2, 3, 4, 5])
})

test('a sink that holds and releases at once does not change the order', () => {
  const seen: number[] = []
  let isHeldOnce = false
  const reader: FrameReader = new FrameReader((buffer, start) => {
    seen.push(buffer.readInt32LE(start + 8))
    reader.hold()
    if (isHeldOnce) reader.release()
    isHeldOnce = true
  }, dataLimits)
  for (let pair = 0; pair < 4; pair++) reader.push(Buffer.concat([frameOf(1, pair * 2), frameOf(1, pair * 2 + 1)]))
  reader.release()
  assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7])
})

test('random bytes end in a refusal or wait for more, and hold no memory', () => {
  const random = new SeededRandom(23)
  const valid = Buffer.concat([frameOf(10, 1), frameOf(200, 2)])
  for (let round = 0; round < 3_000; round++) {
    const budget = new FrameBudget(1024 * 1024)
    const { reader } = collect(round % 2 === 0 ? helloLimits : dataLimits, budget)
    const bytes = round % 3 === 0 ? random.bytes(random.below(200)) : Buffer.from(valid)
    if (round % 3 !== 0) bytes[random.below(bytes.length)] = random.below(256)
    try {
      reader.push(bytes.subarray(0, random.below(bytes.length + 1)))
      assert.ok(reader.pending <= bytes.length)
    } catch (error) {
      assert.ok(error instanceof ProtocolError, String(error))
    }
    reader[Symbol.dispose]()
    assert.equal(budget.held, 0)
  }
})
