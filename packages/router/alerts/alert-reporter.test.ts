import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AlertReporter, type SentAlert } from './alert-reporter.ts'

function setUp() {
  const state = { isTaken: true, fails: false }
  const batches: (readonly SentAlert[])[] = []
  const warned: string[] = []
  const reporter = new AlertReporter({
    send: async (batch) => {
      if (state.fails) throw new Error('gone')
      if (state.isTaken) batches.push(batch)
      return state.isTaken
    },
    now: () => 7,
    log: { debug() {}, warn: (message) => void warned.push(message) },
  })
  const raise = (count: number, from = 0) => {
    for (let at = from; at < from + count; at++) {
      reporter.raise({ message: `m${at}`, details: [], relatedEntities: new Map([['self', 'self']]) })
    }
  }
  return { state, batches, warned, reporter, raise }
}

test('in batches, in order, and in the log as well', async () => {
  const { batches, warned, reporter, raise } = setUp()
  raise(25)
  await reporter.flush()
  assert.deepEqual(
    batches.flat().map(({ message }) => message),
    warned,
  )
  assert.ok(batches.every(({ length }) => length <= 10))
  const [first] = batches.flat()
  assert.deepEqual([first!.sourceType, first!.severity, first!.timestamp], ['self', 'error', 7])
  assert.equal(reporter.waiting, 0)
  await reporter[Symbol.asyncDispose]()
})

test('what no one takes waits, the newest thousand of it', async () => {
  const { state, batches, reporter, raise } = setUp()
  state.isTaken = false
  raise(1_050)
  await reporter.flush()
  assert.deepEqual([reporter.waiting, reporter.dropped], [1_000, 50])
  state.fails = true
  await reporter.flush()
  assert.equal(reporter.waiting, 1_000)
  Object.assign(state, { isTaken: true, fails: false })
  await reporter.flush()
  assert.deepEqual([batches.flat().length, batches[0]![0]!.message], [1_000, 'm50'])
  await reporter[Symbol.asyncDispose]()
})

test('after the end nothing is told', async () => {
  const { batches, reporter, raise } = setUp()
  await reporter[Symbol.asyncDispose]()
  raise(1)
  await reporter.flush()
  assert.deepEqual(batches, [])
})
