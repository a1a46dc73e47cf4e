import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ControlMessage, controlMessages, edgeErrorCode, retryHint } from '@weft/wire/messages'
import { CircuitError } from '../../fabric/circuit-error.ts'
import { ApiError } from '../../operation/api-error.ts'
import { controlPair } from '../../testing/control-pair.ts'
import { answerWithResult } from '../result-answer.ts'
import { EdgeRefusal, type RefusalName, refusalOf, replyRefusal } from './edge-refusal.ts'

const { default: again, tooBusy, startOver, notRetriable } = retryHint

const hints: Readonly<Partial<Record<RefusalName, number>>> = {
  internal: again,
  invalidApiSession: startOver,
  invalidSession: startOver,
  wrongSessionType: startOver,
  invalidEdgeRouterForSession: startOver,
  invalidService: notRetriable,
  tunnelingNotEnabled: notRetriable,
  invalidTerminator: notRetriable,
  invalidPrecedence: notRetriable,
  invalidCost: notRetriable,
  encryptionDataMissing: startOver,
  invalidInstanceId: notRetriable,
  accessDenied: again,
}

test('each refusal says what may be done about it', () => {
  for (const [name, hint] of Object.entries(hints) as [RefusalName, number][]) {
    const refusal = new EdgeRefusal(name, 'because')
    assert.deepEqual([refusal.code, refusal.hint], [edgeErrorCode[name], hint], name)
  }
})

test('a failure of our own is no bad session, and its details stay here', () => {
  const failed = refusalOf(new Error('the disk with the key to everything is full'))
  assert.deepEqual([failed.code, failed.hint, failed.message], [1, again, 'internal error'])
  const store = refusalOf(new ApiError('STORE_FAILED'))
  assert.deepEqual([store.code, store.hint, store.isBusy], [1, again, false])
  const busy = refusalOf(new ApiError('SERVER_TOO_MANY_REQUESTS'))
  assert.deepEqual([busy.code, busy.hint, busy.isBusy], [1, tooBusy, true])
})

test('a circuit that was not made is refused by its cause, with its id', () => {
  const of = (code: ConstructorParameters<typeof CircuitError>[0]) => {
    const { code: number, hint, circuitId } = refusalOf(new CircuitError(code, 'because', { circuitId: 'c1' }))
    return [number, hint, circuitId]
  }
  assert.deepEqual(of('NO_TERMINATORS'), [1, again, 'c1'])
  assert.deepEqual(of('CIRCUIT_ID_IN_USE'), [1, again, 'c1'])
  assert.deepEqual(of('INVALID_SERVICE'), [6, notRetriable, 'c1'])
  assert.deepEqual(of('ENCRYPTION_DATA_MISSING'), [11, startOver, 'c1'])
  assert.deepEqual(of('ACCESS_ENDED'), [14, again, 'c1'])
  assert.deepEqual(of('TOO_MANY_REQUESTS'), [1, tooBusy, 'c1'])
})

test('a router is told that it should come back later, in either kind of answer', async () => {
  await using pair = await controlPair('r1', () => {})
  const { connection, router } = pair
  const busy = new ApiError('SERVER_TOO_MANY_REQUESTS')
  connection.channel.handle(controlMessages.typeOf('removeTerminators'), (frame) =>
    answerWithResult(connection, frame, () => Promise.reject(busy)),
  )
  connection.channel.handle(controlMessages.typeOf('createCircuitV2'), (frame) => replyRefusal(connection, frame, busy))
  const removed = await router.request(controlMessages.encode('removeTerminators', { body: {} }))
  const result = controlMessages.decodeReply('removeTerminators', removed).message
  assert.deepEqual([result.success, result.errorCode], [false, 1])
  const dialled = await router.request(controlMessages.encode('createCircuitV2', { sessionToken: 'x' }))
  const error = controlMessages.decodeReply('createCircuitV2', dialled).message as ControlMessage<'error'>
  assert.deepEqual([error.errorCode, error.retryHint, error.circuitId], [1, tooBusy, undefined])
})
