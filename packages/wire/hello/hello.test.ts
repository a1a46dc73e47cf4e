import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '../frame/headers.ts'
import { decodeFrame, encodeFrame } from '../frame/message.ts'
import { ProtocolError } from '../frame/protocol-error.ts'
import { type RecordedFrame, recordedFrames } from '../testing/recorded-frames.ts'
import { SeededRandom } from '../testing/seeded-random.ts'
import { decodeHello, encodeHello } from './hello.ts'
import { decodeHelloAnswer, encodeHelloAnswer, encodeHelloRefusal } from './hello-answer.ts'
import { decodeVersionAnswer, encodeVersionAnswer } from './version-answer.ts'

const recorded = recordedFrames('hello')
const frames = recorded.filter(({ frame }) => frame.startsWith('0306090c'))
const hellos = frames.filter(({ contentType }) => contentType === 0)
const answers = frames.filter(({ contentType }) => contentType === 2)

/** A frame with its headers in the order of their numbers: peers write them in any. */
function sorted(bytes: Buffer): string {
  const { contentType, headers, body, sequence } = decodeFrame(bytes)
  const ordered = [...headers].sort(([one], [other]) => one - other)
  return encodeFrame(contentType, new Headers(ordered), body, sequence).toString('hex')
}

function headerOf({ headers }: RecordedFrame, id: number): unknown {
  return headers.find((header) => header.id === id)?.value
}

/** What a channel says about itself: everything but the headers of the channel in the given range. */
function ownHeaders(bytes: Buffer, ofChannel: readonly number[]): Headers {
  return new Headers([...decodeFrame(bytes).headers].filter(([key]) => !ofChannel.includes(key)))
}

test('recorded hellos are understood', () => {
  assert.ok(hellos.length >= 8)
  for (const hello of hellos) {
    const read = decodeHello(decodeFrame(Buffer.from(hello.frame, 'hex')))
    assert.equal(read.id, Buffer.from(hello.body, 'hex').toString(), hello.name)
    assert.equal(read.type, headerOf(hello, 7) ?? '', hello.name)
    assert.equal(read.group !== undefined, headerOf(hello, 9) === true, hello.name)
    assert.equal(read.group?.isFirst ?? false, read.group !== undefined && headerOf(hello, 11) === true, hello.name)
    assert.equal(read.group?.secret?.toString('hex'), headerOf(hello, 10), hello.name)
    if (read.group !== undefined) assert.equal(read.group.connectionId, headerOf(hello, 0), hello.name)
  }
})

test('hellos with the content of recorded ones are written as the same bytes', () => {
  for (const { name, frame } of hellos) {
    const bytes = Buffer.from(frame, 'hex')
    const read = decodeHello(decodeFrame(bytes))
    const ours = encodeHello({
      id: read.id,
      type: read.type,
      ...(read.group === undefined ? {} : { group: read.group }),
      headers: ownHeaders(bytes, read.group === undefined ? [7] : [0, 7, 9, 10, 11]),
    })
    // The C SDK numbers its hello 1.
    ours.writeInt32LE(read.sequence, 8)
    assert.equal(sorted(ours), sorted(bytes), name)
  }
})

test('recorded answers are understood, and written as the same bytes', () => {
  assert.ok(answers.length >= 6)
  for (const { name, frame } of answers) {
    const bytes = Buffer.from(frame, 'hex')
    const message = decodeFrame(bytes)
    const hello = { id: 'x', sequence: message.headers.int32(1)!, headers: new Headers() }
    if (hello.sequence !== -1) continue
    const answer = decodeHelloAnswer(message)
    const ours = encodeHelloAnswer(
      {
        ...hello,
        type: answer.headers.text(7) ?? '',
        group: answer.isGrouped ? { isFirst: true } : undefined,
      },
      {
        connectionId: answer.connectionId!,
        ...(answer.id === undefined ? {} : { id: answer.id }),
        ...(answer.secret === undefined ? {} : { secret: answer.secret }),
        headers: ownHeaders(bytes, [0, 1, 2, 7, 8, 9, 10]),
      },
    )
    assert.equal(sorted(ours), sorted(bytes), name)
  }
})

test('the version answer is the one peers send', () => {
  const recordedAnswer = recorded.find(({ frame }) => frame.startsWith('0306090a'))!
  assert.equal(encodeVersionAnswer().toString('hex'), recordedAnswer.frame)
  assert.deepEqual(decodeVersionAnswer(Buffer.from(recordedAnswer.frame, 'hex')), [1, 2])
  assert.equal(decodeVersionAnswer(Buffer.from('0306090cffffffff', 'hex')), undefined)
  assert.equal(decodeVersionAnswer(Buffer.from('0306090affffffff', 'hex')), undefined)
  assert.equal(decodeVersionAnswer(Buffer.from('0306090a0200000001000000', 'hex')), undefined)
})

test('a refusal carries its class and its text', () => {
  const hello = decodeHello(decodeFrame(encodeHello({ id: 'r' })))
  const frame = encodeHelloRefusal(hello, 'busy', 'too many connections')
  const wanted = `
    0306090c 02000000 ffffffff 21000000 14000000 01000000 04000000 ffffffff 02000000 01000000 00
    0d000000 04000000 01000000 746f6f206d616e7920636f6e6e656374696f6e73`
  assert.equal(frame.toString('hex'), wanted.replaceAll(/\s/g, ''))
  assert.throws(() => decodeHelloAnswer(decodeFrame(frame)), { code: 'HELLO_REFUSED', reason: 'busy' })
  const unspecified = encodeHelloRefusal(hello, 'unspecified', '')
  assert.throws(() => decodeHelloAnswer(decodeFrame(unspecified)), { reason: 'unspecified' })
})

test('an answer to something else is out of step', () => {
  const other = encodeFrame(2, new Headers().setInt32(1, 5).set(2, true), Buffer.alloc(0), -1)
  assert.throws(() => decodeHelloAnswer(decodeFrame(other)), { code: 'HELLO_OUT_OF_STEP' })
  const another = encodeFrame(1000, new Headers().setInt32(1, -1).set(2, true), Buffer.alloc(0), -1)
  assert.throws(() => decodeHelloAnswer(decodeFrame(another)), { code: 'HELLO_OUT_OF_STEP' })
})

test('group fields are read of a grouped hello only', () => {
  const headers = new Headers().set(10, 'no secret').set(11, true).set(0, 'old')
  const legacy = decodeHello(decodeFrame(encodeHello({ id: 'r', headers })))
  assert.equal(legacy.group, undefined)
  const grouped = decodeHello(decodeFrame(encodeHello({ id: 'r', headers: new Headers(), group: { isFirst: true } })))
  assert.deepEqual(grouped.group, { isFirst: true })
})

test('hellos that no peer sends are refused', () => {
  const cases: [string, Buffer][] = [
    ['another message', encodeFrame(1, new Headers(), Buffer.alloc(0), -1)],
    ['a short secret', encodeHello({ id: 'r', group: { isFirst: true, secret: Buffer.alloc(15) } })],
    ['a long secret', encodeHello({ id: 'r', group: { isFirst: true, secret: Buffer.alloc(65) } })],
    ['a long id', encodeHello({ id: 'r', group: { isFirst: true, connectionId: 'x'.repeat(300) } })],
    ['a long type', encodeHello({ id: 'r', type: 'x'.repeat(65) })],
  ]
  for (const [name, frame] of cases) assert.throws(() => decodeHello(decodeFrame(frame)), ProtocolError, name)
})

test('mutated hellos are read or refused', () => {
  const random = new SeededRandom(31)
  for (let round = 0; round < 3_000; round++) {
    const bytes = Buffer.from(hellos[random.below(hellos.length)]!.frame, 'hex')
    bytes[random.below(bytes.length)] = random.below(256)
    try {
      const hello = decodeHello(decodeFrame(bytes))
      assert.ok(hello.type.length <= 64)
    } catch (error) {
      assert.ok(error instanceof ProtocolError, String(error))
    }
  }
})
