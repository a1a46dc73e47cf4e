import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testOperations } from './test-operations.ts'
import { ask, BASE, openWeb, testApi } from './test-web.ts'

const web = await openWeb({ handle: testApi(testOperations) })
after(() => web.close())

const origin = { origin: 'https://console.example' }
const wanted = 'access-control-request-method'

/** Preflights: headers, status, and what is allowed by name. */
const preflights: [Record<string, string>, number, Record<string, string | undefined>][] = [
  [{}, 200, { 'access-control-allow-origin': undefined }],
  [origin, 400, { 'access-control-allow-origin': undefined }],
  [
    { ...origin, [wanted]: 'GET' },
    200,
    {
      'access-control-allow-origin': '*',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': undefined,
    },
  ],
  [{ ...origin, [wanted]: 'HEAD' }, 200, { 'access-control-allow-methods': undefined }],
  [{ ...origin, [wanted]: 'PUT' }, 200, { 'access-control-allow-methods': 'PUT' }],
  [{ ...origin, [wanted]: 'DELETE' }, 200, { 'access-control-allow-methods': 'DELETE' }],
  [{ ...origin, [wanted]: 'TRACE' }, 405, {}],
  [
    { ...origin, [wanted]: 'POST', 'access-control-request-headers': 'content-type, zt-session,authorization,accept' },
    200,
    { 'access-control-allow-headers': 'Content-Type,Zt-Session,Authorization' },
  ],
  [
    { ...origin, [wanted]: 'POST', 'access-control-request-headers': 'x-other' },
    403,
    { 'access-control-allow-origin': undefined },
  ],
  [{ ...origin, [wanted]: 'DELETE', 'access-control-request-headers': 'mfa-validation-code' }, 403, {}],
]

for (const [headers, status, allowed] of preflights) {
  test(`OPTIONS with ${JSON.stringify(headers)} gives ${status}`, async () => {
    const answer = await ask(web.port, { method: 'OPTIONS', path: `${BASE}/services`, headers })
    assert.equal(answer.status, status)
    assert.equal(answer.body, '')
    assert.equal(answer.headers['server'], undefined)
    for (const [name, value] of Object.entries(allowed)) assert.equal(answer.headers[name], value, name)
  })
}

test('an answer to another origin says that it may be read, a refusal too', async () => {
  for (const path of ['/version', '/nope']) {
    const answer = await ask(web.port, { path: BASE + path, headers: origin })
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(answer.headers['access-control-allow-credentials'], 'true')
  }
})
