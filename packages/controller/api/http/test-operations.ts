/** Operations of every kind, for the tests of the order of checks. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, fieldError } from '../../operation/api-error.ts'
import type { BodyContract, Call, Operation } from '../../operation/operation.ts'

const service: BodyContract = {
  name: 'service',
  isRequired: true,
  decode(json) {
    if (typeof json !== 'object' || Array.isArray(json)) throw fieldError('', 'not an object')
    if (!('name' in (json as object))) throw fieldError('name', 'name in body is required', '<nil>')
    return json
  },
}

/** Says what a handler was given. */
function echo(call: Call): unknown {
  const { method, path, params, body, host, remoteAddress, caller } = call
  const query = [...call.query]
  return { method, path, params, query, body: body ?? null, host, remoteAddress, caller: caller.kind }
}

export const testOperations: readonly Operation[] = [
  { operationId: 'version', method: 'GET', path: '/version', access: 'anyone', handle: (call) => ok(echo(call)) },
  {
    operationId: 'list',
    method: 'GET',
    path: '/services',
    access: { entity: 'service', action: 'read' },
    handle: (call) => ok(echo(call)),
  },
  {
    operationId: 'create',
    method: 'POST',
    path: '/services',
    access: { entity: 'service', action: 'create' },
    body: service,
    handle: (call: Call) => ({ status: 201, body: { data: echo(call), meta: {} } }),
  },
  {
    operationId: 'detail',
    method: 'GET',
    path: '/services/{id}',
    access: 'session',
    handle: async (call) => ok(echo(call)),
  },
  {
    operationId: 'delete',
    method: 'DELETE',
    path: '/services/{id}',
    access: 'session',
    handle: (call) => ok(echo(call)),
  },
  { operationId: 'mfa', method: 'GET', path: '/mfa', access: 'partial', handle: (call) => ok(echo(call)) },
  {
    operationId: 'optional',
    method: 'POST',
    path: '/optional',
    access: 'anyone',
    body: { ...service, name: 'auth', isRequired: false },
    parameters: [{ name: 'method', kind: { oneOf: ['password', 'cert'] }, isRequired: true }],
    handle: (call: Call) => ok(echo(call)),
  },
  {
    operationId: 'text',
    method: 'POST',
    path: '/text',
    access: 'session',
    body: { name: 'certificate', isRequired: true, alsoConsumes: ['text/plain'], decode: (json) => json },
    handle: (call: Call) => ok(echo(call)),
  },
  {
    operationId: 'bytes',
    method: 'GET',
    path: '/bytes',
    access: 'anyone',
    produces: ['image/png'],
    handle: () => ({
      status: 200,
      body: Buffer.from([1, 2, 3]),
      contentType: 'image/png',
      headers: { 'x-lines': ['a', 'b'] },
    }),
  },
  {
    operationId: 'unlimited',
    method: 'GET',
    path: '/unlimited',
    access: 'anyone',
    handle: () => ({ status: 200, body: { limit: JSON.rawJSON('9223372036854775807') } }),
  },
  { operationId: 'large', method: 'GET', path: '/large', access: 'anyone', handle: () => ok('é'.repeat(50_000)) },
  {
    operationId: 'refuse',
    method: 'GET',
    path: '/refuse',
    access: 'anyone',
    handle: () => {
      throw new ApiError('MFA_EXISTS', { headers: { 'x-told': 'yes' } })
    },
  },
  {
    operationId: 'break',
    method: 'GET',
    path: '/break',
    access: 'anyone',
    handle: async () => {
      throw new TypeError('the secret is 42')
    },
  },
  {
    operationId: 'cycle',
    method: 'GET',
    path: '/cycle',
    access: 'anyone',
    handle: () => {
      const body: Record<string, unknown> = {}
      body['self'] = body
      return { status: 200, body }
    },
  },
  {
    operationId: 'slow',
    method: 'GET',
    path: '/slow',
    access: 'anyone',
    async handle() {
      await sleep(400)
      throw new Error('too late')
    },
  },
  {
    operationId: 'bad header',
    method: 'GET',
    path: '/bad-header',
    access: 'anyone',
    handle: () => ({ status: 200, body: {}, headers: { 'x-bad': 'a\r\nb' } }),
  },
]

function ok(data: unknown) {
  return { status: 200, body: { data, meta: {} } }
}
