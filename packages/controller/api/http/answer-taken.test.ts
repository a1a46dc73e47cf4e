import assert from 'node:assert/strict'
import https from 'node:https'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Operation } from '../../operation/operation.ts'
import { ask, BASE, errorOf, openWeb, testApi } from './test-web.ts'

const ends: boolean[] = []
let handled = Promise.withResolvers<void>()

function operation(path: string, milliseconds: number, more: Partial<Operation> = {}): Operation {
  const handle = async (): Promise<Answer> => {
    handled.resolve()
    await sleep(milliseconds)
    return {
      status: 200,
      body: {},
      onEnd: (isTaken) => ends.push(isTaken),
    }
  }
  return { operationId: path, method: 'GET', path, access: 'anyone', handle, ...more }
}

const operations = [operation('/quick', 0), operation('/while', 100), operation('/late', 400, { isOfCrowds: true })]
const web = await openWeb({ handle: testApi(operations, { processingLimit: 200 }) })
after(() => web.close())

/** What was told, in order, once so many answers have ended. */
async function endings(count: number): Promise<readonly boolean[]> {
  while (ends.length < count) await sleep(5)
  return ends.splice(0)
}

test('an answer that went out was taken', async () => {
  assert.equal((await ask(web.port, { path: `${BASE}/quick` })).status, 200)
  assert.deepEqual(await endings(1), [true])
})

test('one whose client has gone was not', async () => {
  handled = Promise.withResolvers<void>()
  const request = https.get({ port: web.port, path: `${BASE}/while`, agent: false, rejectUnauthorized: false })
  request.on('error', () => {})
  await handled.promise
  request.destroy()
  assert.deepEqual(await endings(1), [false])
})

test('one that comes too late was not, and in a crowd its client is told to come back', async () => {
  const answer = await ask(web.port, { path: `${BASE}/late` })
  assert.deepEqual([answer.status, answer.headers['retry-after']], [429, '1'])
  assert.equal(errorOf(answer).code, 'SERVER_TOO_MANY_REQUESTS')
  assert.deepEqual(await endings(1), [false])
})
