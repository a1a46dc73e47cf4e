import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Registry } from 'prom-client'
import { silentLogger } from '../../log/logger.ts'
import { docsOperation, renderDocsPage } from './docs-page.ts'
import { createHealthChecks, type HealthCheck } from './health-checks.ts'
import { createMetrics } from './metrics.ts'
import { ask, BASE, clientCertificate, openWeb, testApi } from './test-web.ts'

const check: HealthCheck = {
  id: 'store.read',
  healthy: true,
  lastCheckDuration: '1.2ms',
  lastCheckTime: '2026-01-02T03:04:05.678Z',
}

const standalone = () => ({ isRaftEnabled: false, isLeader: false })

test('health checks answer 200 in both forms, also when something is wrong', async () => {
  const checks = () => [check, { ...check, id: 'other', healthy: false, err: 'no answer' }]
  await using web = await openWeb({ handle: createHealthChecks({ checks, cluster: standalone }) })
  const long = await ask(web.port, { path: '/health-checks' })
  assert.equal(long.status, 200)
  assert.deepEqual(JSON.parse(long.body), { data: { checks: checks(), healthy: false }, meta: {} })
  const short = await ask(web.port, { path: '/health-checks/v1?type=short' })
  assert.deepEqual(JSON.parse(short.body).data.checks[1], { id: 'other', healthy: false })
})

test('a member that does not lead says so by its status', async () => {
  const cluster = { isRaftEnabled: true, isLeader: false }
  await using web = await openWeb({ handle: createHealthChecks({ checks: () => [check], cluster: () => cluster }) })
  const follower = await ask(web.port, { path: '/health-checks/controller/raft' })
  assert.equal(follower.status, 429)
  assert.deepEqual(JSON.parse(follower.body).raft, cluster)
  assert.equal((await ask(web.port, { path: '/health-checks' })).status, 200)
})

test('metrics are the text of the registry', async () => {
  const register = new Registry()
  new Counter({ name: 'weft_test_total', help: 'test', registers: [register] }).inc(3)
  await using web = await openWeb({ handle: createMetrics({ register, clock: Date, log: silentLogger }) })
  const answer = await ask(web.port, { path: '/metrics' })
  assert.equal(answer.headers['content-type'], register.contentType)
  assert.match(answer.body, /weft_test_total 3/)
})

test('pinned metrics are for the holder of one certificate, while it is valid', async () => {
  const register = new Registry()
  const pinned = await clientCertificate('prometheus')
  const other = await clientCertificate('prometheus')
  let now = Date.now()
  const options = { register, pinnedPem: pinned.cert, clock: { now: () => now }, log: silentLogger }
  await using web = await openWeb({ handle: createMetrics(options) })
  assert.equal((await ask(web.port, { path: '/metrics' }, pinned)).status, 200)
  assert.equal((await ask(web.port, { path: '/metrics' }, other)).status, 401)
  assert.equal((await ask(web.port, { path: '/metrics' })).status, 401)
  // Whoever only shows the pinned certificate behind a leaf of their own does not hold its key.
  const behind = { key: other.key, cert: other.cert + pinned.cert }
  assert.equal((await ask(web.port, { path: '/metrics' }, behind)).status, 401)
  now += 400 * 24 * 60 * 60 * 1000
  assert.equal((await ask(web.port, { path: '/metrics' }, pinned)).status, 401)
})

test('metrics that cannot be collected are a 500 without a body', async () => {
  const register = { contentType: 'text/plain', metrics: () => Promise.reject(new Error('broken')) }
  await using web = await openWeb({ handle: createMetrics({ register, clock: Date, log: silentLogger }) })
  assert.equal((await ask(web.port, { path: '/metrics' })).status, 500)
})

const document = {
  info: { title: 'An <API>', version: '1.2', description: 'Does "things" & more' },
  basePath: BASE,
  paths: {
    '/things/{id}': {
      parameters: [{ $ref: '#/parameters/id' }],
      get: {
        tags: ['Things & Co'],
        operationId: 'detailThing',
        summary: '<script>alert(1)</script>',
        responses: {
          200: { description: 'it', schema: { $ref: '#/definitions/thing' } },
          404: { $ref: '#/responses/none' },
        },
      },
      delete: { operationId: 'deleteThing', responses: {} },
    },
  },
  parameters: { id: { name: 'id', in: 'path', type: 'string', description: 'which one' } },
  responses: { none: { description: 'there is none' } },
  definitions: {
    thing: {
      allOf: [
        { $ref: '#/definitions/base' },
        {
          properties: { kind: { type: 'string', enum: ['a', 'b'] }, parts: { type: 'array', items: null } },
          required: ['kind'],
        },
      ],
    },
    base: { type: 'object', properties: { tags: { additionalProperties: { type: 'string' } } } },
  },
}

test('the docs page shows every operation and model, and escapes all of it', () => {
  const page = renderDocsPage(document)
  for (const shown of [
    'An &lt;API&gt;',
    '/things/{id}',
    'which one',
    'there is none',
    'href="#model-thing"',
    'id="model-thing"',
    'map of string',
    'Things &amp; Co',
    'id="op-deleteThing"',
  ]) {
    assert.ok(page.includes(shown), shown)
  }
  assert.doesNotMatch(page, /<script/)
  assert.doesNotMatch(page, /(src|href)="(?!#)/)
})

test('the docs page is served to anyone as HTML that may load nothing', async () => {
  await using web = await openWeb({ handle: testApi([docsOperation(() => document)]) })
  const answer = await ask(web.port, { path: `${BASE}/docs`, headers: { accept: 'text/html' } })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(answer.headers['content-security-policy'] ?? '', /default-src 'none'/)
})
