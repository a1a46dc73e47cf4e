import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { streamedList } from '../../operation/envelope.ts'
import { ask, BASE, openWeb, recordingLog, requestBytes, testApi, WireClient } from './test-web.ts'

const meta = { limit: 'unlimited', offset: 0, totalCount: 3 } as const

function listing(records: () => Iterable<string>, log = recordingLog()) {
  const operation = { operationId: 'list', method: 'GET' as const, path: '/list', access: 'anyone' as const }
  return openWeb({ handle: testApi([{ ...operation, handle: () => streamedList(records, () => [], meta) }], { log }) })
}

function disposable(agent: Agent): Agent & Disposable {
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() })
}

for (const count of [0, 1, 3, 5_000]) {
  test(`a list of ${count} arrives as it would in one piece, and the connection goes on`, async () => {
    const records = Array.from({ length: count }, (_, id) => ({ id, text: 'ü'.repeat(40) }))
    await using web = await listing(() => Iterator.from(records).map((record) => JSON.stringify(record)))
    using agent = disposable(new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false }))
    for (const isReused of [false, true]) {
      const asked = request({ port: web.port, path: `${BASE}/list`, agent }).end()
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      const body = await text(response)
      assert.equal(asked.reusedSocket, isReused)
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['content-type'], 'application/json')
      const { data, meta: shown } = JSON.parse(body)
      assert.deepEqual(data, records)
      assert.equal(shown.pagination.totalCount, 3)
      assert.ok(body.endsWith('}\n'))
    }
  })
}

test('of a list that nobody reads only the beginning is made', async () => {
  let made = 0
  function* records() {
    for (; made < 10_000; made++) yield JSON.stringify('x'.repeat(10_000))
  }
  await using web = await listing(records)
  await using client = await WireClient.connect(web.port)
  client.socket.pause()
  client.send(requestBytes({ path: `${BASE}/list` }))
  await sleep(300)
  const before = made
  await sleep(100)
  assert.ok(before > 0 && before < 5_000, `${before} records`)
  assert.equal(made, before)
  client.socket.destroy()
  await sleep(100)
  assert.ok(made < 5_000, 'it went on after its reader had gone')
})

test('a list that fails on its way ends the connection, and the log says why', async () => {
  const log = recordingLog()
  function* records() {
    yield JSON.stringify('x'.repeat(100_000))
    throw new Error('no more')
  }
  await using web = await listing(records, log)
  await using client = await WireClient.connect(web.port)
  client.send(requestBytes({ path: `${BASE}/list` }))
  const all = await client.rest()
  assert.doesNotMatch(all, /\r\n0\r\n\r\n$/, 'it looks complete')
  assert.ok(log.lines.some(({ level, text: line }) => level === 'error' && line === 'answer could not be written'))
  assert.equal((await ask(web.port, { path: `${BASE}/nowhere` })).status, 404)
})
