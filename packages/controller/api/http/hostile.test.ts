import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BodyReader } from './body-reader.ts'
import type { JsonApiOptions } from './json-api.ts'
import { type Asked, ask, BASE, errorOf, openWeb, requestBytes, testApi, WireClient } from './test-web.ts'
import type { WebLimits } from './web-limits.ts'

const MIB = 1_048_576

/** Answers the length of the name it was given; `/open` to anyone. */
const operations = (['/open', '/closed'] as const).map((path) => ({
  operationId: path,
  method: 'POST' as const,
  path,
  access: path === '/open' ? ('anyone' as const) : ('session' as const),
  body: { name: 'thing', isRequired: true, decode: (json: unknown) => json },
  handle: (call: { body: unknown }) => ({ status: 200, body: (call.body as { name?: string }).name?.length ?? -1 }),
}))

function open(options: Partial<JsonApiOptions> = {}, limits: Partial<WebLimits> = {}) {
  return openWeb({ handle: testApi(operations, options), limits })
}

const json = { 'content-type': 'application/json' }
const chunked = { ...json, 'transfer-encoding': 'chunked' }

function post(path: string, body: string | Buffer, headers: Record<string, string> = json): Asked {
  return { method: 'POST', path: BASE + path, headers, body }
}

function named(length: number): string {
  const around = '{"name":""}'.length
  return `{"name":"${'a'.repeat(length - around)}"}`
}

function inChunks(text: string, size: number): string {
  let body = ''
  for (let at = 0; at < text.length; at += size) {
    const piece = text.slice(at, at + size)
    body += `${piece.length.toString(16)}\r\n${piece}\r\n`
  }
  return `${body}0\r\n\r\n`
}

test('a body of exactly the limit is read, in one piece and in chunks', async () => {
  await using web = await open()
  assert.equal((await ask(web.port, post('/open', named(MIB)))).status, 200)
  assert.equal((await ask(web.port, post('/open', inChunks(named(MIB), 60_000), chunked))).status, 200)
})

for (const [name, asked] of [
  ['declared', post('/open', named(MIB + 1))],
  ['declared, to one who must log in', post('/closed', named(MIB + 1))],
  ['declared, to nowhere', post('/nowhere', named(MIB + 1))],
  ['chunked', post('/open', inChunks(named(MIB + 1), 60_000), chunked)],
  ['chunked, to one who must log in', post('/closed', inChunks(named(MIB + 1), 60_000), chunked)],
  ['chunked, of another type', post('/open', inChunks(named(MIB + 1), 60_000), { 'transfer-encoding': 'chunked' })],
  ['several times too large', post('/open', named(6 * MIB))],
] as const) {
  test(`a body over the limit is refused before anything else: ${name}`, async () => {
    await using web = await open()
    await using client = await WireClient.connect(web.port)
    client.send(requestBytes(asked))
    const answer = await client.answer()
    assert.equal(answer.status, 413)
    assert.equal(JSON.parse(answer.body).code, 'REQUEST_ENTITY_TOO_LARGE')
    assert.equal(answer.headers['connection'], 'close')
    assert.equal(await client.rest(), '')
  })
}

test('an endless body is cut off', async () => {
  await using web = await open()
  await using client = await WireClient.connect(web.port)
  client.send(requestBytes(post('/open', '', chunked)))
  const piece = `10000\r\n${'a'.repeat(65_536)}\r\n`
  const feeding = setInterval(() => client.socket.writable && client.send(piece), 1)
  try {
    assert.equal((await client.answer()).status, 413)
    await client.rest()
  } finally {
    clearInterval(feeding)
  }
})

test('a client that waits to be told to continue is told, or refused without sending', async () => {
  await using web = await open()
  await using patient = await WireClient.connect(web.port)
  const expect = { ...json, expect: '100-continue' }
  patient.send(requestBytes({ ...post('/open', '', { ...expect, 'content-length': '12' }), body: undefined }))
  assert.equal((await patient.answer()).status, 100)
  patient.send('{"name":"a"}')
  assert.equal((await patient.answer()).body, '1\n')

  for (const [path, length, status] of [
    ['/open', '1048577', 413],
    ['/closed', '12', 401],
    ['/nope', '12', 404],
  ] as const) {
    await using refused = await WireClient.connect(web.port)
    refused.send(requestBytes({ ...post(path, '', { ...expect, 'content-length': length }), body: undefined }))
    assert.equal((await refused.answer()).status, status)
    assert.equal(await refused.rest(), '')
  }
})

test('all bodies together are bounded, and what was taken is given back', async () => {
  const bodies = new BodyReader({ sumLimit: 3 * MIB })
  await using web = await open({ bodies })
  const clients = await Promise.all([1, 2, 3, 4, 5].map(() => WireClient.connect(web.port)))
  for (const client of clients) {
    const bytes = requestBytes(post('/open', named(MIB)))
    client.send(bytes.subarray(0, bytes.length - 1))
  }
  await sleep(300)
  assert.ok(bodies.held > 2 * MIB && bodies.held <= 3 * MIB, `${bodies.held}`)
  for (const client of clients) client.send('}')
  const statuses = (await Promise.all(clients.map((client) => client.answer()))).map(({ status }) => status)
  assert.ok(statuses.includes(200) && statuses.includes(429), statuses.join())
  for (const client of clients) client.socket.destroy()
  assert.equal(bodies.held, 0)
})

test('nothing of a body is kept for one who has not logged in', async () => {
  const bodies = new BodyReader()
  await using web = await open({ bodies })
  await using client = await WireClient.connect(web.port)
  const bytes = requestBytes(post('/closed', named(MIB)))
  client.send(bytes.subarray(0, bytes.length - 1))
  await sleep(200)
  assert.equal(bodies.held, 0)
  client.send('}')
  assert.equal((await client.answer()).status, 401)
})

test('a body that comes byte by byte costs the memory of its bytes', async () => {
  const bodies = new BodyReader()
  await using web = await open({ bodies }, { readTimeout: 30_000 })
  await using client = await WireClient.connect(web.port)
  const text = named(20_000)
  client.send(requestBytes({ ...post('/open', '', { ...json, 'content-length': '20000' }), body: undefined }))
  for (const [i, character] of [...text].entries()) {
    client.send(character)
    if (i % 200 !== 0) continue
    await sleep(0)
    assert.ok(bodies.held <= 2 * text.length)
  }
  assert.equal((await client.answer()).status, 200)
  assert.equal(bodies.held, 0)
})

test('a body that stops coming is given up, and nothing is left of it', async () => {
  const bodies = new BodyReader()
  await using web = await open({ bodies }, { readTimeout: 300 })
  await using client = await WireClient.connect(web.port)
  client.send(requestBytes({ ...post('/open', '', { ...json, 'content-length': '1000' }), body: '{"na' }))
  const started = performance.now()
  assert.match(await client.rest(), /^HTTP\/1.1 408 /)
  assert.ok(performance.now() - started < 3000)
  await sleep(100)
  assert.equal(bodies.held, 0)
})

test('a connection that breaks in the middle of a body leaves nothing behind', async () => {
  const bodies = new BodyReader()
  await using web = await open({ bodies })
  for (let i = 0; i < 20; i++) {
    const client = await WireClient.connect(web.port)
    client.send(requestBytes({ ...post('/open', '', { ...json, 'content-length': '1000' }), body: '{"na' }))
    await sleep(5)
    if (i % 2 === 0) client.socket.end()
    else client.socket.destroy()
  }
  await sleep(100)
  assert.equal(bodies.held, 0)
  assert.equal((await ask(web.port, post('/open', '{"name":"a"}'))).status, 200)
})

test('a head that comes slowly is given up', async () => {
  await using web = await open({}, { readTimeout: 300 })
  await using client = await WireClient.connect(web.port)
  const feeding = setInterval(() => client.socket.writable && client.send('x: y\r\n'), 50)
  client.send('GET / HTTP/1.1\r\nhost: x\r\n')
  const started = performance.now()
  assert.match(await client.rest(), /^HTTP\/1.1 408 /)
  clearInterval(feeding)
  assert.ok(performance.now() - started < 3000)
})

test('a connection that never says anything is given up', async () => {
  await using web = await open({}, { readTimeout: 200 })
  await using client = await WireClient.connect(web.port)
  const started = performance.now()
  await client.rest()
  assert.ok(performance.now() - started < 3000)
})

test('one who sends and half-closes gets the answer', async () => {
  await using web = await open()
  await using client = await WireClient.connect(web.port, { allowHalfOpen: true } as object)
  client.socket.end(requestBytes(post('/open', '{"name":"abc"}')))
  assert.equal((await client.answer()).body, '3\n')
})

test('one who never reads is given up', async () => {
  const handle = testApi([
    {
      operationId: 'large',
      method: 'GET',
      path: '/large',
      access: 'anyone',
      handle: () => ({ status: 200, body: 'a'.repeat(8 * MIB) }),
    },
  ])
  await using web = await openWeb({ handle, limits: { processingTimeout: 300, writeTimeout: 200 } })
  await using client = await WireClient.connect(web.port)
  client.socket.pause()
  client.send(requestBytes({ path: `${BASE}/large` }))
  await sleep(1300)
  client.socket.resume()
  assert.ok((await client.rest()).length < 8 * MIB)
})

test('of many answers that are asked for at once and never read, few are made', async () => {
  let made = 0
  const operation = { operationId: 'large', method: 'GET' as const, path: '/large', access: 'anyone' as const }
  const handle = testApi([
    {
      ...operation,
      handle: () => {
        made++
        return { status: 200, body: 'x'.repeat(2 * MIB) }
      },
    },
  ])
  await using web = await openWeb({ handle })
  await using client = await WireClient.connect(web.port)
  client.socket.pause()
  client.send(Buffer.concat(Array.from({ length: 100 }, () => requestBytes({ path: `${BASE}/large` }))))
  await sleep(300)
  assert.ok(made > 0 && made < 10, `${made} answers were made`)
})

test('pipelined requests are answered in order', async () => {
  await using web = await open()
  await using client = await WireClient.connect(web.port)
  const lengths = Array.from({ length: 200 }, (_, i) => i)
  client.send(Buffer.concat(lengths.map((length) => requestBytes(post('/open', `{"name":"${'a'.repeat(length)}"}`)))))
  for (const length of lengths) assert.equal((await client.answer()).body, `${length}\n`)
})

const smuggled: [string, string, RegExp][] = [
  [
    'two lengths',
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello',
    /^HTTP\/1.1 400 /,
  ],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nhost: x\r\n\r\n',
    /^HTTP\/1.1 400 /,
  ],
  [
    'chunks and a length',
    'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n',
    /^HTTP\/1.1 400 /,
  ],
  [
    'chunked, but not last',
    'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    /^HTTP\/1.1 400 /,
  ],
  ['a space before the colon', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length : 5\r\n\r\nhello', /^HTTP\/1.1 400 /],
  ['a folded header', 'GET / HTTP/1.1\r\nhost: x\r\nx: a\r\n b\r\n\r\n', /^HTTP\/1.1 400 /],
  ['a bare line feed', 'GET / HTTP/1.1\nhost: x\n\n', /^HTTP\/1.1 400 /],
  ['a NUL in a header', 'GET / HTTP/1.1\r\nhost: x\r\nx: a\0b\r\n\r\n', /^HTTP\/1.1 400 /],
  ['a length that is not a number', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1e3\r\n\r\n', /^HTTP\/1.1 400 /],
  ['a negative length', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n', /^HTTP\/1.1 400 /],
  ['a huge length', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999\r\n\r\n', /^HTTP\/1.1 400 /],
  [
    'a bad chunk',
    `POST ${BASE}/open HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    /^HTTP\/1.1 400 /,
  ],
  [
    'long chunk extensions',
    `POST ${BASE}/open HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\n`,
    /^HTTP\/1.1 4(13|00) /,
  ],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', /^HTTP\/1.1 400 /],
  ['two hosts', 'GET / HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n', /^HTTP\/1.1 400 /],
  ['not HTTP at all', 'hello there\r\n\r\n', /^HTTP\/1.1 400 /],
  ['too large a head', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1.1 431 /],
  ['too long a target', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, /^HTTP\/1.1 4(31|00) /],
  ['too many headers', `GET / HTTP/1.1\r\nhost: x\r\n${'x: y\r\n'.repeat(100)}\r\n`, /^HTTP\/1.1 431 /],
  ['a method that does not exist', 'FETCH / HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1.1 400 /],
]

for (const [name, text, expected] of smuggled) {
  test(`${name} ends the connection with one refusal`, async () => {
    await using web = await open()
    await using client = await WireClient.connect(web.port)
    client.send(text)
    const all = await client.rest()
    assert.match(all, expected)
    assert.equal(all.split('HTTP/1.1 ').length, 2, all)
  })
}

test('as many headers as allowed are fine', async () => {
  await using web = await open()
  await using client = await WireClient.connect(web.port)
  client.send(`GET /x HTTP/1.1\r\nhost: x\r\n${'x: y\r\n'.repeat(99)}\r\n`)
  assert.equal((await client.answer()).status, 404)
})

test('hostile JSON is refused and costs nothing lasting', async () => {
  await using web = await open()
  const bodies = [
    '['.repeat(MIB - 10),
    '{"a":'.repeat(200_000),
    `"${'\\'.repeat(MIB - 10)}`,
    '\0'.repeat(1000),
    Buffer.from([0x22, 0xff, 0x22]),
  ]
  await using client = await WireClient.connect(web.port)
  for (const body of bodies) {
    client.send(requestBytes(post('/open', body)))
    const answer = await client.answer()
    assert.equal(answer.status, 400)
    assert.equal(errorOf(answer).code, 'COULD_NOT_PARSE_BODY')
    assert.ok(answer.body.length < 1000)
  }
})

test('clients that go away while their requests are handled harm nobody', async () => {
  const handle = testApi([
    {
      operationId: 'slow',
      method: 'GET',
      path: '/slow',
      access: 'anyone',
      async handle() {
        await sleep(50)
        return { status: 200, body: 'done' }
      },
    },
  ])
  await using web = await openWeb({ handle })
  for (let i = 0; i < 20; i++) {
    const client = await WireClient.connect(web.port)
    client.send(requestBytes({ path: `${BASE}/slow` }))
    await sleep(2)
    client.socket.destroy()
  }
  await sleep(100)
  assert.equal((await ask(web.port, { path: `${BASE}/slow` })).status, 200)
})

test('random bytes never do more than end their connection', async () => {
  await using web = await open()
  const valid = requestBytes(post('/open', '{"name":"a"}'))
  // A fixed sequence of numbers, so that a failure can be seen again.
  let seed = 20_261_115
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return seed % below
  }
  for (let i = 0; i < 150; i++) {
    const bytes = Buffer.from(valid)
    for (let damage = 0; damage <= random(4); damage++) bytes[random(bytes.length)] = random(256)
    await using client = await WireClient.connect(web.port)
    client.socket.end(bytes)
    assert.match(await client.rest(), /^(HTTP\/1.1 [245]\d\d |$)/)
  }
  assert.equal((await ask(web.port, post('/open', '{"name":"a"}'))).status, 200)
})
