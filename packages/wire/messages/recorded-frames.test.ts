import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Headers } from '../frame/headers.ts'
import { decodeFrame, encodeFrame } from '../frame/message.ts'
import { anyCatalogue } from '../testing/any-catalogue.ts'
import { hasOpenOrder, toJson, withOurNames } from '../testing/proto-json.ts'
import { type RecordedFrame, recordedFrames } from '../testing/recorded-frames.ts'
import { controlMessages, edgeMessages, linkMessages } from './index.ts'

const catalogues = {
  ctrl: anyCatalogue(controlMessages),
  link: anyCatalogue(linkMessages),
  edge: anyCatalogue(edgeMessages),
}

/** Headers of the channel, which it reads and writes itself. */
const ofChannel = [1, 5, 6, 128]

/** Facts of the route that a Go controller passes on as far as the SDK, where nobody reads them. */
const strays: Readonly<Record<string, readonly number[]>> = { stateConnected: [1101] }

for (const file of ['control', 'rdm', 'link', 'edge', 'xgress']) {
  describe(`recorded frames of ${file}`, () => {
    for (const recorded of recordedFrames(file)) it(recorded.name, () => checkFrame(recorded))
  })
}

function checkFrame(recorded: RecordedFrame): void {
  const bytes = Buffer.from(recorded.frame, 'hex')
  const received = decodeFrame(bytes)
  const catalogue = catalogues[recorded.channel]
  const { name, message } = catalogue.decode(received, recorded.from)
  const content = catalogue.messages[name]!.body
  const bodyType = content !== undefined && 'form' in content ? content : undefined
  const decodedBody = message['body']

  if (bodyType !== undefined && recorded.bodyJson !== undefined) {
    assert.deepEqual(toJson(bodyType, decodedBody), withOurNames(bodyType, recorded.bodyJson))
    if (!JSON.stringify(recorded.bodyJson).match(/"[A-Z]\w*":/)) {
      assert.deepEqual(toJson(bodyType, decodedBody), recorded.bodyJson)
    }
  }

  const written = catalogue.encode(name, message)
  const headers = new Headers()
  for (const [key, value] of received.headers) {
    const isForeign = ofChannel.includes(key) || strays[name]?.includes(key)
    headers.set(key, written.headers.get(key) ?? (isForeign ? value : assert.fail(`header ${key} was lost`)))
  }
  assert.equal(headers.size, new Set([...headers, ...written.headers].map(([key]) => key)).size, 'nothing was added')

  if (bodyType !== undefined && hasOpenOrder(bodyType, decodedBody)) {
    assert.equal(written.body.length, received.body.length)
    assert.deepEqual(bodyType.decode(written.body), decodedBody)
    assert.deepEqual(encodeFrame(received.contentType, headers, received.body, received.sequence), bytes)
  } else {
    const frame = encodeFrame(written.contentType, headers, written.body, received.sequence)
    assert.equal(frame.toString('hex'), recorded.frame)
  }
}
