import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordedFrames } from '../testing/recorded-frames.ts'
import { SeededRandom } from '../testing/seeded-random.ts'
import { readResult, replyForOf, replyTo, resultMessage } from './channel-headers.ts'
import { Headers } from './headers.ts'
import { decodeFrame, encodeFrame, encodeFrameHead } from './message.ts'
import { ProtocolError } from './protocol-error.ts'

const recorded = recordedFrames('hello', 'link', 'xgress').filter(({ frame }) => frame.startsWith('0306090c'))

test('recorded frames are read as their senders meant them', () => {
  assert.ok(recorded.length > 30)
  for (const { name, frame, contentType, sequence, headers, body } of recorded) {
    const message = decodeFrame(Buffer.from(frame, 'hex'))
    assert.equal(message.contentType, contentType, name)
    assert.equal(message.sequence, sequence, name)
    assert.equal(message.body.toString('hex'), body, name)
    const keys = [...message.headers].map(([key]) => key)
    assert.deepEqual(
      keys,
      headers.map(({ id }) => id),
      name,
    )
    for (const { id, type, value } of headers) {
      if (type === 'string') assert.equal(message.headers.text(id), value, name)
      if (type === 'bool') assert.equal(message.headers.flag(id), value, name)
      if (type === 'uint32') assert.equal(message.headers.uint32(id), value, name)
      if (type === 'int32') assert.equal(message.headers.int32(id), value, name)
      if (type === 'bytes') assert.equal(message.headers.get(id)?.toString('hex'), value, name)
    }
  }
})

test('what was read from a recorded frame is written as the same bytes', () => {
  for (const { name, frame } of recorded) {
    const { contentType, headers, body, sequence } = decodeFrame(Buffer.from(frame, 'hex'))
    assert.equal(encodeFrame(contentType, headers, body, sequence).toString('hex'), frame, name)
    const copied = new Headers(headers)
    const head = encodeFrameHead(contentType, copied, body.length, sequence)
    assert.equal(Buffer.concat([head, body]).toString('hex'), frame, name)
  }
})

test('a frame that is cut, or has bytes behind it, is refused', () => {
  const whole = Buffer.from(recorded[0]!.frame, 'hex')
  for (let length = 0; length < whole.length; length++) {
    assert.throws(() => decodeFrame(whole.subarray(0, length)), ProtocolError)
  }
  assert.throws(() => decodeFrame(Buffer.concat([whole, Buffer.alloc(1)])), { code: 'TRUNCATED' })
})

test('mutated frames are read or refused, and nothing else happens', () => {
  const random = new SeededRandom(5)
  let refused = 0
  for (let round = 0; round < 5_000; round++) {
    const { frame } = recorded[random.below(recorded.length)]!
    const bytes = Buffer.from(frame, 'hex')
    for (let change = 0; change <= random.below(4); change++) bytes[random.below(bytes.length)] = random.below(256)
    try {
      const { contentType, headers, body, sequence } = decodeFrame(bytes)
      // Where a header came twice the last counts, and only that one is written.
      assert.ok(encodeFrame(contentType, headers.clone(), body, sequence).length <= bytes.length)
    } catch (error) {
      assert.ok(error instanceof ProtocolError, String(error))
      refused++
    }
  }
  assert.ok(refused > 100 && refused < 5_000)
})

test('of a header that comes twice the last counts', () => {
  const one = new Headers().set(7, 'first').encode()
  const two = new Headers().set(7, 'last').encode()
  const headers = Headers.parse(Buffer.concat([one, two]))
  assert.equal(headers.text(7), 'last')
  assert.deepEqual([...headers], [[7, Buffer.from('last')]])
})

test('malformed headers are refused before anything is read from them', () => {
  assert.throws(() => Headers.parse(Buffer.alloc(7)), { code: 'BAD_HEADERS' })
  const past = new Headers().set(1, 'abcd').encode()
  past.writeUInt32LE(0xffffffff, 4)
  assert.throws(() => Headers.parse(past), { code: 'BAD_HEADERS' })
  const many = Buffer.concat(Array.from({ length: 257 }, (_, key) => new Headers().set(key, '').encode()))
  assert.throws(() => Headers.parse(many), { code: 'TOO_MANY_HEADERS' })
  assert.equal(Headers.parse(many.subarray(0, 256 * 8)).size, 256)
})

test('headers that were received can be changed without touching what was received', () => {
  const block = new Headers().set(1, 'one').set(2, true).encode()
  const before = Buffer.from(block)
  const headers = Headers.parse(block)
  assert.equal(headers.delete(1), true)
  headers.setInt32(3, -1)
  assert.deepEqual([...headers.encode()], [...new Headers().set(2, true).setInt32(3, -1).encode()])
  assert.deepEqual(block, before)
  assert.equal(headers.has(1), false)
  assert.equal(headers.int32(3), -1)
  assert.equal(headers.uint32(3), 0xffffffff)
  assert.equal(headers.uint32(2), undefined)
})

test('a reply names its request and reflects what the request wants reflected', () => {
  const request = decodeFrame(encodeFrame(3, new Headers().set(128, Buffer.alloc(8, 9)), Buffer.alloc(0), 12))
  const { contentType, headers, body } = replyTo(request, resultMessage(true))
  const frame = encodeFrame(contentType, headers!, body!, 5)
  const reply = decodeFrame(frame)
  assert.equal(replyForOf(reply), 12)
  assert.deepEqual(reply.headers.get(128), Buffer.alloc(8, 9))
  assert.deepEqual(readResult(reply), { isSuccess: true, text: '' })
  assert.equal(frame.length, 57)
})

test('a result without its success header is a failure, and a reply-for of -1 no reply', () => {
  const message = decodeFrame(encodeFrame(2, new Headers().setInt32(1, -1), Buffer.from('why'), 1))
  assert.deepEqual(readResult(message), { isSuccess: false, text: 'why' })
  assert.equal(replyForOf(message), undefined)
})
