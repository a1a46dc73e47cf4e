import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordedFrames } from '../testing/recorded-frames.ts'
import { SeededRandom } from '../testing/seeded-random.ts'
import { Headers } from './headers.ts'
import { hasHopHeaders, withoutHopHeaders } from './hop-headers.ts'
import {
  findHeader,
  HeaderScan,
  scanHeaders,
  sequenceAt,
  valueLengthAt,
  writeContentType,
  writeSequence,
} from './layout.ts'
import { decodeFrame, encodeFrame, messageAt } from './message.ts'
import { ProtocolError } from './protocol-error.ts'

const recorded = recordedFrames('link', 'xgress')

test('the fields of a frame are found in place, wherever it lies in its buffer', () => {
  for (const { name, frame, contentType, sequence, headers } of recorded) {
    const bytes = Buffer.from(`ffff${frame}ffff`, 'hex')
    const scan = new HeaderScan()
    scanHeaders(bytes, 2, scan)
    for (const { id } of headers) {
      const at = findHeader(bytes, 2, id)
      const expected = decodeFrame(bytes.subarray(2, -2)).headers.get(id)!
      assert.deepEqual(bytes.subarray(at, at + valueLengthAt(bytes, at)), expected, name)
      if (id === 5) assert.equal(scan.heartbeat, at, name)
      if (id === 6) assert.equal(scan.heartbeatResponse, at, name)
      if (id === 1) assert.equal(scan.replyFor, at, name)
    }
    assert.equal(findHeader(bytes, 2, 424_242), -1)
    const message = messageAt(bytes, 2, bytes.length - 2)
    assert.equal(message.contentType, contentType)
    assert.equal(message.sequence, sequence)
  }
})

test('a frame is renumbered in place', () => {
  const frame = encodeFrame(1100, new Headers().set(2256, 'c'), Buffer.from('body'), 5)
  writeSequence(frame, 0, -7)
  writeContentType(frame, 0, 1101)
  assert.equal(sequenceAt(frame, 0), -7)
  assert.deepEqual(decodeFrame(frame).body, Buffer.from('body'))
  assert.equal(decodeFrame(frame).contentType, 1101)
})

test('what belongs to one hop does not go on to the next', () => {
  const carrying = recorded.filter(({ headers }) => headers.some(({ id }) => [1, 5, 6, 12].includes(id)))
  assert.ok(carrying.length > 2)
  for (const { name, frame, headers, body } of carrying) {
    const bytes = Buffer.from(`00${frame}`, 'hex')
    assert.equal(hasHopHeaders(bytes, 1), true, name)
    const cleaned = withoutHopHeaders(bytes, 1, bytes.length)
    assert.equal(hasHopHeaders(cleaned, 0), false, name)
    const message = decodeFrame(cleaned)
    assert.equal(message.body.toString('hex'), body, name)
    const kept = headers.map(({ id }) => id).filter((id) => ![1, 5, 6, 12].includes(id))
    assert.deepEqual(
      [...message.headers].map(([key]) => key),
      kept,
      name,
    )
  }
})

test('a header block is walked to its end or refused, whatever its bytes are', () => {
  const random = new SeededRandom(77)
  const scan = new HeaderScan()
  let passed = 0
  for (let round = 0; round < 5_000; round++) {
    const block = random.bytes(random.below(64))
    // Small lengths, so that some blocks are well-formed.
    for (let at = 4; at + 4 <= block.length; at += 8) block.writeUInt32LE(random.below(4) * random.below(3), at)
    const frame = Buffer.alloc(20 + block.length)
    frame.writeUInt32LE(block.length, 12)
    block.copy(frame, 20)
    let isGood = true
    try {
      scanHeaders(frame, 0, scan)
      passed++
    } catch (error) {
      assert.ok(error instanceof ProtocolError)
      isGood = false
    }
    const parse = () => Headers.parse(block)
    if (isGood) assert.ok(parse().size >= 0)
    else assert.throws(parse, ProtocolError)
  }
  assert.ok(passed > 50)
})
