import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import zlib from 'node:zlib'
import { ApiError } from '../../operation/api-error.ts'
import type { Call } from '../../operation/operation.ts'
import type { Answered } from './exchange.ts'
import { testOperations } from './test-operations.ts'
import { admin, ask, BASE, errorOf, openWeb, recordingLog, testApi } from './test-web.ts'

const log = recordingLog()
const answered: Answered[] = []
const handle = testApi(testOperations, { log, processingLimit: 200, onAnswered: (one) => answered.push(one) })
const web = await openWeb({ handle })
after(() => web.close())

const json = { 'content-type': 'application/json' }
const asAdmin = { 'zt-session': 'admin' }
const asUser = { 'zt-session': 'user' }

test('a cause that does not exist is absent, not null', async () => {
  const answer = await ask(web.port, { path: `${BASE}/refuse` })
  assert.equal('cause' in errorOf(answer), false)
  assert.equal(answer.headers['x-told'], 'yes')
})

test('the challenge of a refused caller reaches it; a denied one gets none', async () => {
  const refused = await ask(web.port, { path: `${BASE}/services` })
  assert.equal(refused.headers['www-authenticate'], 'test missing')
  const denied = await ask(web.port, { path: `${BASE}/services`, headers: asUser })
  assert.equal(denied.headers['www-authenticate'], undefined)
  const open = await ask(web.port, { path: `${BASE}/version`, headers: { 'zt-session': 'bogus' } })
  assert.equal(open.headers['www-authenticate'], undefined)
})

test('a handler sees the request as it was meant', async () => {
  const path = `${BASE}//services/x%2Fy/?b=1&a=%C3%BC&a=2`
  const answer = await ask(web.port, { path, headers: { ...asUser, host: 'other.example:1' } })
  assert.deepEqual(JSON.parse(answer.body).data, {
    method: 'GET',
    path: '/services/x%2Fy',
    params: { id: 'x/y' },
    query: [
      ['b', '1'],
      ['a', 'ü'],
      ['a', '2'],
    ],
    body: null,
    host: 'other.example:1',
    remoteAddress: '127.0.0.1',
    caller: 'full',
  })
})

test('text is handed over unparsed where an operation takes it, and JSON parsed', async () => {
  const text = await ask(web.port, {
    method: 'POST',
    path: `${BASE}/text`,
    headers: { ...asAdmin, 'content-type': 'text/plain' },
    body: '{"a":1}',
  })
  assert.equal(JSON.parse(text.body).data.body, '{"a":1}')
  const parsed = await ask(web.port, {
    method: 'POST',
    path: `${BASE}/text`,
    headers: { ...asAdmin, ...json },
    body: '{"a":1}',
  })
  assert.deepEqual(JSON.parse(parsed.body).data.body, { a: 1 })
  const binary = await ask(web.port, {
    method: 'POST',
    path: `${BASE}/text`,
    headers: { ...asAdmin, 'content-type': 'text/plain' },
    body: Buffer.from([0xff]),
  })
  assert.equal(errorOf(binary).code, 'COULD_NOT_PARSE_BODY')
})

test('bytes and repeated headers leave as they are', async () => {
  const answer = await ask(web.port, { path: `${BASE}/bytes` })
  assert.deepEqual([...answer.bytes], [1, 2, 3])
  assert.equal(answer.headers['content-type'], 'image/png')
  assert.equal(answer.headers['x-lines'], 'a\nb')
})

test('a number beyond 53 bits leaves digit by digit', async () => {
  const answer = await ask(web.port, { path: `${BASE}/unlimited` })
  assert.equal(answer.body, '{"limit":9223372036854775807}\n')
})

test('the content length counts bytes, not characters', async () => {
  const answer = await ask(web.port, { path: `${BASE}/large` })
  assert.equal(Number(answer.headers['content-length']), answer.bytes.length)
  assert.equal(JSON.parse(answer.body).data.length, 50_000)
})

const unpack = { gzip: zlib.gunzipSync, deflate: zlib.inflateSync, br: zlib.brotliDecompressSync }

for (const coding of ['gzip', 'deflate', 'br'] as const) {
  test(`${coding} keeps body and status, of small, large and refused answers`, async () => {
    const headers = { 'accept-encoding': coding }
    for (const [path, status] of [
      [`/version?${'x'.repeat(200)}`, 200],
      ['/large', 200],
      ['/nope', 404],
    ] as const) {
      const plain = await ask(web.port, { path: BASE + path })
      const packed = await ask(web.port, { path: BASE + path, headers })
      assert.equal(packed.status, status)
      assert.equal(packed.headers['content-encoding'], coding)
      const length = unpack[coding](packed.bytes).length
      assert.equal(length, plain.bytes.length)
    }
    const tiny = await ask(web.port, { path: `${BASE}/bytes`, headers })
    assert.equal(tiny.headers['content-encoding'], undefined)
  })
}

test('a bug is logged with its stack under the id that the client is given, and told to nobody', async () => {
  const answer = await ask(web.port, { path: `${BASE}/break` })
  assert.equal(answer.status, 500)
  const error = errorOf(answer)
  assert.equal(error.code, 'UNHANDLED')
  assert.doesNotMatch(answer.body, /secret/)
  const line = log.lines.find(({ fields }) => fields['requestId'] === error.requestId)
  const err = line?.fields['err']
  assert.match(err instanceof Error ? (err.stack ?? '') : '', /the secret is 42/)
})

test('an answer that cannot be written is a bug as well', async () => {
  for (const path of ['/cycle', '/bad-header']) {
    const answer = await ask(web.port, { path: BASE + path })
    assert.equal(answer.status, 500)
    assert.equal(errorOf(answer).code, 'UNHANDLED')
  }
})

test('a handler that takes too long is answered for, and what it does later is logged', async () => {
  const answer = await ask(web.port, { path: `${BASE}/slow` })
  assert.equal(answer.status, 503)
  assert.equal(errorOf(answer).code, 'TIMEOUT')
  await sleep(300)
  assert.ok(log.lines.some(({ text }) => text === 'request failed after it had been answered'))
})

test('every answer of an operation is reported once', async () => {
  answered.length = 0
  await ask(web.port, { path: `${BASE}/version` })
  await ask(web.port, { path: `${BASE}/nope` })
  await ask(web.port, { path: `${BASE}/services`, headers: asUser })
  const seen = answered.map(({ operation, status }) => [operation.operationId, status])
  assert.deepEqual(seen, [
    ['version', 200],
    ['list', 401],
  ])
  assert.ok(answered.every(({ milliseconds }) => milliseconds >= 0))
})

test('a caller may be resolved later, refused later, or not in time', async () => {
  const resolveCaller = async (call: Call) => {
    const who = call.header('zt-session')
    await sleep(who === 'slow' ? 400 : 5)
    if (who === 'bad') throw new ApiError('UNAUTHORIZED')
    if (who === 'broken') throw new Error('a bug')
    return admin
  }
  const own = recordingLog()
  await using later = await openWeb({
    handle: testApi(testOperations, { resolveCaller, log: own, processingLimit: 100 }),
  })
  const statuses: number[] = []
  for (const who of ['good', 'bad', 'broken', 'slow']) {
    const headers = { ...json, 'zt-session': who }
    const asked = { method: 'POST', path: `${BASE}/services`, headers, body: '{"name":"a"}' }
    statuses.push((await ask(later.port, asked)).status)
  }
  assert.deepEqual(statuses, [201, 401, 500, 503])
})
