/** What strangers may send: no bytes do more than to be refused with a code. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MessageError } from '../catalogue/message-error.ts'
import { decodeFrame } from '../frame/message.ts'
import { ProtocolError } from '../frame/protocol-error.ts'
import { anyCatalogue } from '../testing/any-catalogue.ts'
import { type RecordedFrame, recordedFrames } from '../testing/recorded-frames.ts'
import { SeededRandom } from '../testing/seeded-random.ts'
import { controlMessages, edgeMessages, linkMessages } from './index.ts'

const catalogues = {
  ctrl: anyCatalogue(controlMessages),
  link: anyCatalogue(linkMessages),
  edge: anyCatalogue(edgeMessages),
}

const recordings = recordedFrames('control', 'rdm', 'link', 'edge', 'xgress').map((recorded) => ({
  recorded,
  bytes: Buffer.from(recorded.frame, 'hex'),
}))

/** Whether the bytes were accepted; anything but a refusal with a code is thrown. */
function isAccepted({ channel, from }: RecordedFrame, bytes: Buffer): boolean {
  try {
    catalogues[channel].decode(decodeFrame(bytes), from)
    return true
  } catch (error) {
    if (error instanceof MessageError || error instanceof ProtocolError) return false
    throw error
  }
}

/** Cuts the end off and makes the frame whole again, so that the body is what is short. */
function shortened(bytes: Buffer, by: number): Buffer {
  const short = Buffer.from(bytes.subarray(0, bytes.length - by))
  short.writeUInt32LE(bytes.readUInt32LE(16) - by, 16)
  return short
}

describe('a mutated frame', () => {
  it('with flipped bytes is read or refused', () => {
    const random = new SeededRandom(2)
    for (const { recorded, bytes } of recordings) {
      for (let round = 0; round < 50; round++) {
        const mutated = Buffer.from(bytes)
        for (let flips = 1 + random.below(4); flips > 0; flips--) {
          mutated[20 + random.below(Math.max(1, bytes.length - 20))] = random.below(256)
        }
        isAccepted(recorded, mutated)
      }
    }
  })

  it('with a body that ends early is read or refused', () => {
    let refused = 0
    for (const { recorded, bytes } of recordings) {
      const bodyLength = bytes.readUInt32LE(16)
      const step = Math.max(1, Math.floor(bodyLength / 40))
      for (let by = 1; by <= bodyLength; by += step) if (!isAccepted(recorded, shortened(bytes, by))) refused++
    }
    assert.ok(refused > 1000, `${refused} refused`)
  })

  it('of another type is read or refused', () => {
    for (const { recorded, bytes } of recordings) {
      for (const { type } of Object.values(catalogues[recorded.channel].messages)) {
        const retyped = Buffer.from(bytes)
        retyped.writeInt32LE(type, 4)
        isAccepted(recorded, retyped)
      }
    }
  })

  it('of random bytes is refused or says nothing', () => {
    const random = new SeededRandom(3)
    for (let round = 0; round < 2000; round++) {
      const { recorded, bytes } = recordings[random.below(recordings.length)]!
      const head = Buffer.from(bytes.subarray(0, 20))
      const body = random.bytes(random.below(64))
      head.writeUInt32LE(0, 12)
      head.writeUInt32LE(body.length, 16)
      isAccepted(recorded, Buffer.concat([head, body]))
    }
  })
})

describe('a body of very many empty elements', () => {
  it('is refused before it has become a hundred times its size', () => {
    const body = Buffer.alloc(200_002, Buffer.from([0x0a, 0x00]))
    const message = { ...controlMessages.encode('routerLinks', { body: {} }), body }
    assert.throws(() => controlMessages.decode(message, 'router'), { code: 'BAD_BODY', message: /more items/ })
  })
})
