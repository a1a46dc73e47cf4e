import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyCatalogue } from '../testing/any-catalogue.ts'
import { fromJson, toJson, withOurNames } from '../testing/proto-json.ts'
import { type ConversationMessage, recordedConversation } from '../testing/recorded-conversation.ts'
import { controlMessages, edgeMessages, linkMessages } from './index.ts'

const catalogues = {
  ctrl: anyCatalogue(controlMessages),
  link: anyCatalogue(linkMessages),
  edge: anyCatalogue(edgeMessages),
}

const files = [
  'trace-router-connect',
  'trace-router-connect-cluster',
  'trace-router-reconnect',
  'trace-router-certs',
  'trace-link',
  'trace-reroute',
  'trace-sdk-dial',
  'trace-host-bind',
]

for (const file of files) {
  describe(file, () => {
    // Hellos and their answers have the sequence -1, and catalogues of their own.
    const messages = recordedConversation(file).filter(({ sequence }) => sequence !== -1)

    it('consists of messages that the catalogues know, each from its side', () => {
      assert.ok(messages.length > 0)
      for (const message of messages) {
        const { from } = definitionOf(message)
        assert.ok(from === 'either' || from === sideOf(message.from), `${message.name} from ${message.from}`)
      }
    })

    it('answers requests with the replies that they have', () => {
      for (const reply of messages.filter(({ replyFor }) => replyFor !== undefined)) {
        const request = messages.find(
          (each) => each.sequence === reply.replyFor && each.from === reply.to && each.to === reply.from,
        )
        if (request === undefined) continue
        const name = catalogues[reply.channel].nameOf(reply.contentType)!
        assert.ok(definitionOf(request).replies?.includes(name), `${name} to ${request.name}`)
      }
    })

    it('has bodies that the tables can carry', () => {
      for (const message of messages) {
        const type = definitionOf(message).body
        if (typeof message.body !== 'object' || type === undefined || !('form' in type)) continue
        const read = type.decode(type.encode(fromJson(type, message.body)))
        assert.deepEqual(toJson(type, read), withOurNames(type, message.body))
      }
    })
  })
}

function definitionOf({ channel, contentType, name }: ConversationMessage) {
  const catalogue = catalogues[channel]
  const known = catalogue.nameOf(contentType)
  return catalogue.messages[known ?? assert.fail(`${catalogue.name} has no ${name}`)]!
}

function sideOf(actor: string): string {
  if (actor.startsWith('ctrl')) return 'controller'
  return /^r\d/.test(actor) ? 'router' : 'sdk'
}
