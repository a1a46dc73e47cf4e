import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeFrame } from '../frame/message.ts'
import { anyCatalogue } from '../testing/any-catalogue.ts'
import { recordedFrames } from '../testing/recorded-frames.ts'
import { controlHello, edgeHello, linkHello } from './index.ts'

const catalogues = {
  ctrl: anyCatalogue(controlHello),
  link: anyCatalogue(linkHello),
  edge: anyCatalogue(edgeHello),
}

/** Read and written by the channel: connection, reply, success, type, id, grouping; 11 also strays into answers. */
const ofChannel = [0, 1, 2, 7, 8, 9, 10, 11]

describe('recorded hellos', () => {
  // One recording is the answer to an unknown version, which is no frame.
  for (const recorded of recordedFrames('hello').filter(({ contentType }) => contentType !== undefined)) {
    it(recorded.name, () => {
      const received = decodeFrame(Buffer.from(recorded.frame, 'hex'))
      const catalogue = catalogues[recorded.channel]
      const name = catalogue.nameOf(received.contentType)
      // The answer to a link's hello says nothing of its own.
      if (name === undefined) return assert.equal(recorded.channel, 'link')
      const { message } = catalogue.decode(received, recorded.from)
      const written = catalogue.encode(name, message)
      const own = name === 'hello' && recorded.channel === 'link' ? [2] : []
      for (const [key, value] of received.headers) {
        if (ofChannel.includes(key) && !own.includes(key)) continue
        assert.equal(written.headers.get(key)?.toString('hex'), value.toString('hex'), `header ${key}`)
        written.headers.delete(key)
      }
      assert.deepEqual([...written.headers], [])
    })
  }
})
