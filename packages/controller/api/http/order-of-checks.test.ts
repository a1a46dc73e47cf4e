import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testOperations } from './test-operations.ts'
import { type Asked, ask, BASE, errorOf, openWeb, requestBytes, testApi, WireClient } from './test-web.ts'

const web = await openWeb({ handle: testApi(testOperations) })
after(() => web.close())

const json = { 'content-type': 'application/json' }
const asAdmin = { 'zt-session': 'admin' }
const asUser = { 'zt-session': 'user' }
const create = { method: 'POST', path: '/services' }

interface Expected {
  readonly status: number
  readonly code?: string
  readonly cause?: unknown
  readonly message?: string
}

/** What was asked, below the base, and what the peers' controller answers to the like. */
const recorded: [string, Asked, Expected][] = [
  [
    'an unknown path',
    { path: '/nope' },
    { status: 404, code: 'NOT_FOUND', message: `path ${BASE}/nope was not found` },
  ],
  [
    'an unknown path keeps its spelling',
    { path: '//a%20b/' },
    { status: 404, message: `path ${BASE}//a%20b/ was not found` },
  ],
  [
    'an unknown method, anonymous',
    { method: 'POST', path: '/version', headers: json, body: '{}' },
    { status: 405, code: 'METHOD_NOT_ALLOWED', message: 'method POST is not allowed, but [GET] are' },
  ],
  [
    'an unknown method on a collection',
    { method: 'DELETE', path: '/services', headers: asAdmin },
    { status: 405, message: 'method DELETE is not allowed, but [GET,POST] are' },
  ],
  ['HEAD', { method: 'HEAD', path: '/version' }, { status: 405 }],
  ['no token', { path: '/services' }, { status: 401, code: 'UNAUTHORIZED' }],
  ['no token and a wrong body', { ...create, headers: json, body: '{}' }, { status: 401 }],
  ['no token and malformed JSON', { ...create, headers: json, body: '{' }, { status: 401 }],
  ['no permission and a wrong body', { ...create, headers: { ...json, ...asUser }, body: '{}' }, { status: 400 }],
  [
    'no permission',
    { ...create, headers: { ...json, ...asUser }, body: '{"name":"a"}' },
    { status: 401, code: 'UNAUTHORIZED' },
  ],
  ['a partial session', { path: '/services/x', headers: { 'zt-session': 'partial' } }, { status: 401 }],
  ['a partial session where it may call', { path: '/mfa', headers: { 'zt-session': 'partial' } }, { status: 200 }],
  ['a partial session with a grant', { path: '/services', headers: { 'zt-session': 'partial' } }, { status: 401 }],
  [
    'a body without a type',
    { ...create, headers: asAdmin, body: '{}' },
    {
      status: 415,
      code: 'COULD_NOT_VALIDATE',
      cause: {
        field: 'Content-Type',
        reason: 'unsupported media type "application/octet-stream", only [application/json] are allowed',
        value: 'application/octet-stream',
      },
    },
  ],
  ['a body as text', { ...create, headers: { ...asAdmin, 'content-type': 'text/plain' }, body: '{}' }, { status: 415 }],
  [
    'a body as a form',
    { ...create, headers: { ...asAdmin, 'content-type': 'application/x-www-form-urlencoded' }, body: 'name=x' },
    { status: 415 },
  ],
  [
    'a GET with a body of another type',
    { path: '/services', headers: { ...asAdmin, 'content-type': 'text/plain' }, body: 'x' },
    { status: 415 },
  ],
  ['a GET with a JSON body', { path: '/services', headers: { ...asAdmin, ...json }, body: '{}' }, { status: 200 }],
  [
    'JSON with a charset',
    { ...create, headers: { ...asAdmin, 'content-type': 'Application/JSON; charset=utf-8' }, body: '{"name":"a"}' },
    { status: 201 },
  ],
  [
    'Accept text/html',
    { path: '/services', headers: { ...asAdmin, accept: 'text/html' } },
    {
      status: 406,
      code: 'COULD_NOT_VALIDATE',
      cause: {
        field: 'Accept',
        reason: 'unsupported media type requested, only [application/json] are available',
        value: 'text/html',
      },
    },
  ],
  [
    'Accept that refuses JSON',
    { path: '/version', headers: { accept: 'text/plain, application/json;q=0' } },
    { status: 406 },
  ],
  ['Accept of a list', { path: '/version', headers: { accept: 'text/html, application/json;q=0.1' } }, { status: 200 }],
  ['Accept of anything', { path: '/version', headers: { accept: 'text/html, */*;q=0.1' } }, { status: 200 }],
  [
    'Accept on a request with a body',
    { ...create, headers: { ...asAdmin, ...json, accept: 'application/xml' }, body: '{"name":"a"}' },
    { status: 201 },
  ],
  ['Accept on what is not JSON', { path: '/bytes', headers: { accept: 'application/json' } }, { status: 200 }],
  [
    'malformed JSON',
    { ...create, headers: { ...asAdmin, ...json }, body: '{"name":' },
    {
      status: 400,
      code: 'COULD_NOT_PARSE_BODY',
      message: 'parsing service body from "" failed, because unexpected EOF',
    },
  ],
  [
    'null as a body',
    { ...create, headers: { ...asAdmin, ...json }, body: 'null' },
    {
      status: 400,
      code: 'COULD_NOT_VALIDATE',
      cause: { field: 'name', reason: 'name in body is required', value: '<nil>' },
    },
  ],
  [
    'an empty body with a type',
    { ...create, headers: { ...asAdmin, ...json }, body: '' },
    {
      status: 400,
      code: 'COULD_NOT_VALIDATE',
      cause: { field: 'service', reason: 'service in body is required', value: '' },
    },
  ],
  [
    'a blank body',
    { ...create, headers: { ...asAdmin, ...json }, body: ' \n' },
    { status: 400, cause: { field: 'service', reason: 'service in body is required', value: '' } },
  ],
  [
    'no body at all',
    { ...create, headers: asAdmin },
    { status: 400, cause: { field: 'service', reason: 'service in body is required', value: '' } },
  ],
  ['trailing data', { ...create, headers: { ...asAdmin, ...json }, body: '{"name":"a"} xyz' }, { status: 201 }],
  [
    'an empty chunked body',
    { ...create, headers: { ...asAdmin, ...json, 'transfer-encoding': 'chunked' }, body: '0\r\n\r\n' },
    { status: 400, cause: { field: 'service', reason: 'service in body is required', value: '' } },
  ],
  [
    'a chunked body',
    {
      ...create,
      headers: { ...asAdmin, ...json, 'transfer-encoding': 'chunked' },
      body: '5\r\n{"nam\r\n7\r\ne":"a"}\r\n0\r\n\r\n',
    },
    { status: 201 },
  ],
  [
    'a missing parameter before a bad body',
    { method: 'POST', path: '/optional', headers: json, body: '{' },
    {
      status: 400,
      code: 'COULD_NOT_VALIDATE',
      cause: { field: 'method', reason: 'method in query is required', value: '' },
    },
  ],
  ['a body that may be left out', { method: 'POST', path: '/optional?method=cert' }, { status: 200 }],
  [
    'a wrong percent-encoding',
    { path: '/services/%ff', headers: asAdmin },
    { status: 400, code: 'COULD_NOT_VALIDATE' },
  ],
  ['a refusal of the handler', { path: '/refuse' }, { status: 409, code: 'MFA_EXISTS' }],
]

for (const [name, asked, expected] of recorded) {
  test(`${name} gives ${expected.status}`, async () => {
    const answer = await ask(web.port, { ...asked, path: BASE + asked.path })
    assert.equal(answer.status, expected.status, answer.body)
    assert.equal(answer.headers['server'], 'ziti-controller/v2.1.0')
    assert.equal(answer.headers['ziti-instance-id'], 'instance')
    if (asked.method === 'HEAD') return
    assert.ok(answer.body.endsWith('}\n') || answer.headers['content-type'] === 'image/png')
    if (expected.status < 400) return
    assert.equal(answer.headers['content-type'], 'application/json')
    assert.deepEqual(JSON.parse(answer.body).meta, { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' })
    const error = errorOf(answer)
    assert.match(error.requestId, /^[0-9a-zA-Z.-]{10}$/)
    if (expected.code !== undefined) assert.equal(error.code, expected.code)
    if (expected.cause !== undefined) assert.deepEqual(error.cause, expected.cause)
    if (expected.message !== undefined) assert.deepEqual(error.cause, { code: 'UNHANDLED', message: expected.message })
  })
}

test('a connection serves many requests, whatever the answers were', async () => {
  await using client = await WireClient.connect(web.port)
  for (const [, asked, expected] of recorded) {
    client.send(requestBytes({ ...asked, path: BASE + asked.path }))
    const { status } = await client.answer(asked.method === 'HEAD')
    assert.equal(status, expected.status)
  }
})
