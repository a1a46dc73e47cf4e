import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controlPlan, edgePlan, linkPlan } from '../channel/channel-plan.ts'
import { Headers } from '../frame/headers.ts'
import { decodeFrame, encodeFrame } from '../frame/message.ts'
import { memoryPair } from '../testing/memory-pair.ts'
import { type RecordedFrame, recordedFrames } from '../testing/recorded-frames.ts'
import { ChannelAcceptor } from './channel-acceptor.ts'

/** Each hello with the answer a Go peer gave to it, in the order of the conversation. */
const conversations = recordedFrames('hello').flatMap((hello, index, all) => {
  const answer = all[index + 1]
  return hello.contentType === 0 && answer?.contentType === 2 ? [{ hello, answer }] : []
})
const plans = { ctrl: controlPlan, link: linkPlan, edge: edgePlan }
const ofChannel = [0, 1, 2, 7, 8, 9, 10]

function headersOf({ frame }: RecordedFrame): Headers {
  return decodeFrame(Buffer.from(frame, 'hex')).headers
}

function sorted(bytes: Buffer): string {
  const { contentType, headers, body, sequence } = decodeFrame(bytes)
  const ordered = [...headers].sort(([one], [other]) => one - other)
  return encodeFrame(contentType, new Headers(ordered), body, sequence).toString('hex')
}

test('our answers to recorded hellos are those of the Go peer, byte for byte', async () => {
  let answer: RecordedFrame | undefined
  let plan = controlPlan
  const acceptor = new ChannelAcceptor(
    {
      // Different listeners answered; each one's id is put in below.
      id: '',
      admit: (hello) => ({
        identity: hello.id,
        name: hello.id,
        plan,
        headers: new Headers([...headersOf(answer!)].filter(([key]) => !ofChannel.includes(key))),
        bind() {},
      }),
    },
    {
      // Where the Go peer chose an id or a secret, ours chooses the same.
      randomBytes: (size) =>
        size === 16 ? headersOf(answer!).get(10)! : Buffer.from(headersOf(answer!).text(0)!, 'base64url'),
    },
  )
  await using _ = acceptor
  assert.ok(conversations.length >= 12)
  for (const conversation of conversations) {
    answer = conversation.answer
    plan = plans[conversation.hello.channel]
    const { near, far } = memoryPair()
    acceptor.accept(far)
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    near.attach({ onData: resolve, onDrain() {}, onClose: () => reject(new Error(conversation.hello.name)) })
    near.resume()
    near.write(Buffer.from(conversation.hello.frame, 'hex'))
    const ours = decodeFrame(await promise)
    ours.headers.set(8, headersOf(answer).get(8)!)
    const bytes = encodeFrame(ours.contentType, ours.headers, ours.body, ours.sequence)
    assert.equal(sorted(bytes), sorted(Buffer.from(answer.frame, 'hex')), conversation.hello.name)
  }
})
