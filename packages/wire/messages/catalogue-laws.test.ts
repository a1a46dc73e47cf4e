/** What holds for every message of every catalogue, also for those that no recording shows. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeFrame, encodeFrame } from '../frame/message.ts'
import { anyCatalogue } from '../testing/any-catalogue.ts'
import { randomMessage } from '../testing/random-message.ts'
import { SeededRandom } from '../testing/seeded-random.ts'
import {
  agentMessages,
  controlHello,
  controlMessages,
  edgeHello,
  edgeMessages,
  legacyControlHello,
  linkHello,
  linkMessages,
  managementMessages,
} from './index.ts'

const catalogues = [
  anyCatalogue(controlMessages),
  anyCatalogue(controlHello),
  anyCatalogue(legacyControlHello),
  anyCatalogue(linkMessages),
  anyCatalogue(linkHello),
  anyCatalogue(edgeMessages),
  anyCatalogue(edgeHello),
  anyCatalogue(managementMessages),
  anyCatalogue(agentMessages),
]

const rounds = 20

for (const catalogue of catalogues) {
  describe(`every ${catalogue.name} message`, () => {
    const random = new SeededRandom(1)
    for (const [name, definition] of Object.entries(catalogue.messages)) {
      it(`${name} reads back as it was written, and is written the same again`, () => {
        for (let round = 0; round < rounds; round++) {
          const value = randomMessage(definition, random)
          const written = catalogue.encode(name, value)
          const frame = encodeFrame(written.contentType, written.headers, written.body, round)
          const side = definition.from === 'either' ? '' : definition.from
          const read = catalogue.decode(decodeFrame(frame), side)
          assert.deepEqual(read, { name, message: value })
          const again = catalogue.encode(name, read.message)
          assert.deepEqual(encodeFrame(again.contentType, again.headers, again.body, round), frame)
        }
      })
    }
  })
}
