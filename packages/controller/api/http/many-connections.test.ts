import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import v8 from 'node:v8'
import vm from 'node:vm'
import { testOperations } from './test-operations.ts'
import { ask, BASE, openWeb, requestBytes, testApi, WireClient } from './test-web.ts'

v8.setFlagsFromString('--expose-gc')
const collectGarbage = vm.runInNewContext('gc') as () => void

const HANDSHAKING = 1700
const SILENT = 300
const AT_ONCE = 50

async function connectAll(count: number, connect: () => Promise<WireClient>): Promise<WireClient[]> {
  const clients: WireClient[] = []
  while (clients.length < count) clients.push(...(await Promise.all(Array.from({ length: AT_ONCE }, connect))))
  return clients
}

test('2,000 connections that say nothing do not keep others from being served, nor the server from closing', async () => {
  const limits = { readTimeout: 30_000, handshakeTimeout: 30_000 }
  await using web = await openWeb({ handle: testApi(testOperations), limits })
  const idle = [
    ...(await connectAll(HANDSHAKING, () => WireClient.connectPlain(web.port))),
    ...(await connectAll(SILENT, () => WireClient.connect(web.port))),
  ]
  const started = performance.now()
  for (let i = 0; i < 20; i++) assert.equal((await ask(web.port, { path: `${BASE}/version` })).status, 200)
  assert.ok(performance.now() - started < 2000)
  const closing = performance.now()
  await web.close()
  assert.ok(performance.now() - closing < 2000)
  for (const client of idle) client.socket.destroy()
})

test('where handshakes are limited, those that are too many are cut at once', async () => {
  const handshakeWindow = {
    ...{ minSize: 5, maxSize: 20, successThreshold: 0.9, increaseFactor: 1.02, decreaseFactor: 0.9 },
    ...{ increaseCheckInterval: 10, decreaseCheckInterval: 10 },
  }
  const limits = { handshakeTimeout: 30_000, handshakeWindow }
  await using web = await openWeb({ handle: testApi(testOperations), limits })
  const silent = await Promise.all(Array.from({ length: 30 }, () => WireClient.connectPlain(web.port)))
  const ends = silent.map(async (client) => {
    await client.rest()
    return client
  })
  const cut = new Set<WireClient>()
  for (let left = 10; left > 0; left--) {
    cut.add(await Promise.race(ends.filter((_, at) => !cut.has(silent[at]!))))
  }
  await sleep(50)
  assert.equal(silent.filter(({ socket }) => !socket.destroyed).length, 20)
  for (const { socket } of silent) socket.destroy()
  for (let left = 50; left > 0; left--) {
    const isServed = await ask(web.port, { path: `${BASE}/version` }).then(
      ({ status }) => status === 200,
      () => false,
    )
    if (isServed) return
    await sleep(20)
  }
  assert.fail('nobody is served any more')
})

test('silent connections are given up all at once, without harm', async () => {
  await using web = await openWeb({ handle: testApi(testOperations), limits: { readTimeout: 400 } })
  const silent = await Promise.all(Array.from({ length: 200 }, () => WireClient.connect(web.port)))
  await Promise.all(silent.map((client) => client.rest()))
  assert.equal((await ask(web.port, { path: `${BASE}/version` })).status, 200)
})

test('memory stays flat over many requests of all kinds', async () => {
  await using web = await openWeb({ handle: testApi(testOperations) })
  const headers = { 'content-type': 'application/json', 'zt-session': 'admin' }
  const kinds = [
    requestBytes({ path: `${BASE}/version` }),
    requestBytes({ path: `${BASE}/nope` }),
    requestBytes({ path: `${BASE}/services`, headers: { 'accept-encoding': 'gzip', 'zt-session': 'admin' } }),
    requestBytes({ method: 'POST', path: `${BASE}/services`, headers, body: '{"name":"a"}' }),
    requestBytes({ method: 'POST', path: `${BASE}/services`, headers, body: '{"name":' }),
    requestBytes({ method: 'POST', path: `${BASE}/services`, body: '{}' }),
  ]
  const round = async () => {
    await using client = await WireClient.connect(web.port)
    for (let i = 0; i < 1500; i++) {
      client.send(kinds[i % kinds.length] as Buffer)
      await client.answer()
    }
  }
  const settled = async () => {
    await sleep(50)
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  await round()
  const before = await settled()
  for (let i = 0; i < 4; i++) await round()
  const grown = (await settled()) - before
  assert.ok(grown < 2_000_000, `${grown} bytes more after 6,000 requests`)
})
