import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ControlMessage, controlMessages, type RouterTerminatorState } from '@weft/wire/messages'
import { ConnectedRouters } from '../fabric/connected-routers.ts'
import { routerFacts } from '../fabric/test-fabric.ts'
import { silentLogger } from '../log/logger.ts'
import { controlPair } from '../testing/control-pair.ts'
import { TestController } from '../testing/test-controller.ts'
import { TerminatorValidation } from './terminator-validation.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const { kit } = controller.core

type Question = ControlMessage<'validateTerminatorsV2'>['body']
type States = readonly (readonly [string, Partial<RouterTerminatorState>])[]

const SECONDS = 1_000

/** A router that is asked what it hosts; it answers with what the test wants. */
async function asked(t: TestContext, answer: (question: Question) => States) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const routerId = randomUUID()
  const questions: Question[] = []
  const typeOf = controlMessages.typeOf('validateTerminatorsV2')
  const pair = await controlPair(routerId, (router) => {
    router.handle(typeOf, (frame) => {
      const { body } = controlMessages.decodeAs('validateTerminatorsV2', frame)
      questions.push(body)
      const states = new Map(answer(body))
      return router.reply(frame, controlMessages.encode('validateTerminatorsV2Response', { body: { states } }))
    })
  })
  const clock = { time: 0, now: () => Date.now(), monotonic: () => clock.time }
  const routers = new ConnectedRouters({ clock }, { routerConnectChurnLimit: 0 })
  routers.connect(pair.connection, routerFacts)
  const validation = new TerminatorValidation({ kit, routers, clock, log: silentLogger })
  t.after(async () => {
    validation[Symbol.dispose]()
    await pair[Symbol.asyncDispose]()
  })
  const serviceId = await controller.write((change) => {
    change.create('routers', { name: routerId, kind: 'edge' }, { id: routerId })
    return change.create('services', { name: randomUUID(), encryptionRequired: false }).id
  })
  const terminators = (count: number) =>
    controller.write((change) =>
      Array.from({ length: count }, () => {
        const id = randomUUID()
        return change.create('terminators', { serviceId, routerId, binding: 'edge', address: id }, { id }).id
      }),
    )
  const pass = (milliseconds: number) => {
    clock.time += milliseconds
    t.mock.timers.tick(milliseconds)
  }
  const settled = async (isSo: () => boolean) => {
    for (let left = 1_000; !isSo() && left > 0; left--) await sleep(5)
    assert.ok(
      isSo(),
      JSON.stringify(questions, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
    )
  }
  /** So many questions, each answered before the next. */
  const rounds = async (count: number) => {
    for (let round = 1; round <= count; round++) {
      await settled(() => questions.length === round && validation.waiting().every(({ isAsking }) => !isAsking))
      pass(5 * SECONDS)
    }
  }
  return { routerId, connection: pair.connection, validation, questions, terminators, pass, settled, rounds }
}

function isThere(id: string): boolean {
  return kit.view.get('terminators', id) !== undefined
}

test('a new terminator is asked about when it has settled, and not again when its router hosts it', async (t) => {
  const { validation, routerId, questions, terminators, pass, settled } = await asked(t, ({ terminators: all }) =>
    all.map(({ id, marker }) => [id, { valid: true, marker }]),
  )
  const [id] = await terminators(1)
  validation.queue(routerId, id!)
  pass(4 * SECONDS)
  assert.deepEqual(questions, [])
  pass(6 * SECONDS)
  await settled(() => questions.length === 1 && validation.waiting().length === 0)
  assert.partialDeepStrictEqual(questions[0], {
    postCreate: true,
    terminators: [{ id, binding: 'edge', address: id }],
  })
  pass(60 * SECONDS)
  await sleep(20)
  assert.equal(questions.length, 1)
  assert.ok(isThere(id!))
})

test('what a router does not mention it is asked about again, under another mark', async (t) => {
  const { validation, routerId, questions, terminators, rounds } = await asked(t, ({ terminators: [first] }) => [
    [first!.id, { valid: true, marker: first!.marker }],
  ])
  const ids = await terminators(3)
  validation.queueAll(routerId)
  await rounds(3)
  assert.deepEqual(
    questions.map(({ terminators: all }) => all.length),
    [3, 2, 1],
  )
  assert.equal(new Set(questions.map(({ terminators: all }) => all[0]!.marker)).size, 3)
  assert.ok(ids.every(isThere))
})

test('an answer to an older question deletes nothing, and one without a mark counts', async (t) => {
  let marks: 'older' | 'none' = 'older'
  const { validation, routerId, questions, terminators, pass, settled } = await asked(t, ({ terminators: all }) =>
    all.map(({ id, marker }) => [
      id,
      { valid: false, reason: 'UnknownTerminator', marker: marks === 'older' ? marker + 1_000n : 0n },
    ]),
  )
  const [id] = await terminators(1)
  validation.queueAll(routerId)
  await settled(() => questions.length === 1 && !validation.waiting()[0]!.isAsking)
  assert.ok(isThere(id!))
  marks = 'none'
  pass(5 * SECONDS)
  await settled(() => !isThere(id!))
})

test('a router that hosts many is asked about a bounded number at a time', async (t) => {
  const { validation, routerId, questions, terminators, rounds } = await asked(t, ({ terminators: all }) =>
    all.map(({ id, marker }) => [id, { valid: true, marker }]),
  )
  await terminators(1_100)
  validation.queueAll(routerId)
  await rounds(3)
  assert.deepEqual(
    questions.map(({ terminators: all }) => all.length),
    [500, 500, 100],
  )
})

test('an administrator asks in parts, without a mark, and is told what the router can tell', async (t) => {
  const { validation, connection, questions, terminators } = await asked(t, ({ terminators: [first, ...rest] }) => [
    [first!.id, { valid: false, reason: 'UnknownTerminator', detail: 'not hosted' }],
    ...rest.slice(1).map(({ id }) => [id, { valid: true }] as const),
    ['of another', { valid: false }],
  ])
  const ids = await terminators(60)
  const answers = await validation.check(connection, ids, { isFixing: false })
  assert.deepEqual(
    questions.map(({ terminators: all, postCreate, fixInvalid }) => [all.length, postCreate, fixInvalid]),
    [
      [50, false, false],
      [10, false, false],
    ],
  )
  assert.ok(questions.every(({ terminators: all }) => all.every(({ marker }) => marker === 0n)))
  assert.equal(answers.size, 58)
  assert.equal(answers.get(ids[0]!)!.detail, 'not hosted')
  // Nothing is deleted by looking.
  assert.ok(ids.every(isThere))
})
