import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { decodeFrame, Headers, type OutgoingMessage } from '@weft/wire'
import { type ControlMessageName, controlMessages } from '@weft/wire/messages'
import { defaultNetworkOptions } from '../fabric/network-options.ts'
import { Seeded } from '../testing/seeded.ts'
import { TestController } from '../testing/test-controller.ts'
import { type EnrolledRouter, enrollRouter, TestRouter } from '../testing/test-router.ts'

const ROUNDS = Number(process.env['WEFT_MUTATION_ROUNDS'] ?? 6)
const network = { ...defaultNetworkOptions, routerConnectChurnLimit: 0, routeTimeout: 200 }
const controller = await TestController.start({ network })
after(() => controller[Symbol.asyncDispose]())

/** Everything that a router can say; it is not to delete itself while it is needed. */
const names = (Object.keys(controlMessages.messages) as ControlMessageName[]).filter((name) => {
  const { from } = controlMessages.messages[name]
  return from !== 'controller' && name !== 'decommissionRouter'
})

/** What routers have really said. */
function recorded(): readonly OutgoingMessage[] {
  const files = ['control', 'rdm'].map((name) => join(import.meta.dirname, `../../../testdata/wire/${name}.json`))
  return files.flatMap((file) => {
    const frames = JSON.parse(readFileSync(file, 'utf8')) as readonly {
      from?: string
      channel?: string
      frame?: string
    }[]
    return frames
      .filter(({ from, frame, channel }) => from === 'router' && channel === 'ctrl' && frame !== undefined)
      .map(({ frame }) => decodeFrame(Buffer.from(frame!, 'hex')))
      .map(({ contentType, headers, body }) => ({ contentType, headers, body }))
  })
}

const headerKeys = [1, 2, 5, 6, 10, 11, 12, 13, 14, 15, 16, 17, 1022, 1023, 1024, 1025, 1101, 1102, 1104, 1115]

function randomMessage(random: Seeded, contentType: number): OutgoingMessage {
  const headers = new Headers()
  for (let left = random.below(6); left > 0; left--) {
    headers.set(headerKeys[random.below(headerKeys.length)]!, randomBytes(random, 40))
  }
  // What it answers is nobody's question.
  headers.delete(1)
  return { contentType, headers, body: randomBytes(random, 200) }
}

function randomBytes(random: Seeded, most: number): Buffer {
  return Buffer.from(Array.from({ length: random.below(most) }, () => random.below(256)))
}

/** Some bytes changed, some cut off, some added. */
function mutated(random: Seeded, { contentType, headers, body = Buffer.alloc(0) }: OutgoingMessage): OutgoingMessage {
  const bytes = Buffer.from(body)
  for (let left = random.below(4); left > 0 && bytes.length > 0; left--)
    bytes[random.below(bytes.length)] = random.below(256)
  const cut = random.chance(3) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes
  const grown = random.chance(4) ? Buffer.concat([cut, randomBytes(random, 30)]) : cut
  return { contentType, headers: headers?.clone() ?? new Headers(), body: grown }
}

async function connected(enrolled: EnrolledRouter, before?: TestRouter): Promise<TestRouter> {
  if (before !== undefined && !before.channel.isClosed) return before
  return await TestRouter.connect(controller, enrolled)
}

for (const tunneler of [false, true]) {
  test(`no message of a router that ${tunneler ? 'tunnels' : 'does not tunnel'} does harm, whatever is in it`, async () => {
    const enrolled = await enrollRouter(controller, { isTunnelerEnabled: tunneler })
    const random = new Seeded(tunneler ? 2 : 1)
    const said = recorded()
    let router = await connected(enrolled)
    const rows = () =>
      ['terminators', 'sessions', 'identities', 'routers'].map((table) =>
        controller.core.tables.size(table as 'routers'),
      )
    const before = rows()
    for (let round = 0; round < ROUNDS; round++) {
      const messages = [
        ...names.map((name) => randomMessage(random, controlMessages.typeOf(name))),
        ...said.map((message) => mutated(random, message)),
      ]
      for (const message of messages) {
        router = await connected(enrolled, router)
        await router.channel.send(message).catch(() => {})
      }
      router = await connected(enrolled, router)
      await router.ask('inspectRequest', { body: { requestedValues: [] } }).catch(() => {})
    }
    await using last = await connected(enrolled, router)
    await last.ask('inspectRequest', { body: { requestedValues: [] } })
    assert.deepEqual(rows(), before)
    const failures = controller.logged.filter((line) => JSON.parse(line).level === 'error')
    assert.deepEqual(failures, [])
  })
}
