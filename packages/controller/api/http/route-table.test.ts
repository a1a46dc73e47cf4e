import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../operation/api-error.ts'
import { cleanPath, RouteTable } from './route-table.ts'

const table = new RouteTable('/base/v1', [
  { method: 'GET', path: '/', name: 'root' },
  { method: 'GET', path: '/things', name: 'list' },
  { method: 'POST', path: '/things', name: 'create' },
  { method: 'PATCH', path: '/things/{id}', name: 'patch' },
  { method: 'PUT', path: '/things/{id}', name: 'update' },
  { method: 'DELETE', path: '/things/{id}', name: 'delete' },
  { method: 'GET', path: '/things/{id}', name: 'detail' },
  { method: 'GET', path: '/things/special', name: 'special' },
  { method: 'GET', path: '/things/{thingId}/parts/{partId}', name: 'part' },
  { method: 'GET', path: '/things/special/{id}', name: 'special detail' },
  { method: 'GET', path: '/.well-known/est/cacerts', name: 'cas' },
])

const found: [string, string, Record<string, string>][] = [
  ['/base/v1', 'root', {}],
  ['/base/v1/', 'root', {}],
  ['/base/v1//', 'root', {}],
  ['/base/v1/things', 'list', {}],
  ['/base/v1/things/', 'list', {}],
  ['/base/v1//things', 'list', {}],
  ['//base//v1/things', 'list', {}],
  ['/base/v1/./things', 'list', {}],
  ['/base/v1/x/../things', 'list', {}],
  ['/other/../base/v1/things', 'list', {}],
  ['/base/v1/things/a', 'detail', { id: 'a' }],
  ['/base/v1/things/%44efault', 'detail', { id: 'Default' }],
  ['/base/v1/things/a%2Fb', 'detail', { id: 'a/b' }],
  ['/base/v1/things/%2e%2e', 'detail', { id: '..' }],
  ['/base/v1/things/.5', 'detail', { id: '.5' }],
  ['/base/v1/things/a%00b', 'detail', { id: 'a\0b' }],
  ['/base/v1/things/__proto__', 'detail', { id: '__proto__' }],
  ['/base/v1/things/special', 'special', {}],
  ['/base/v1/things/special/x', 'special detail', { id: 'x' }],
  ['/base/v1/things/a/parts/b', 'part', { thingId: 'a', partId: 'b' }],
  ['/base/v1/things/special/parts/b', 'part', { thingId: 'special', partId: 'b' }],
  ['/base/v1//.well-known/est/cacerts', 'cas', {}],
]

for (const [path, name, params] of found) {
  test(`GET ${path} is ${name}`, () => {
    const match = table.match('GET', path)
    assert.equal(match.route?.name, name)
    assert.deepEqual({ ...match.params }, params)
  })
}

const missing = [
  '/base/v1x',
  '/base',
  '/',
  '',
  '*',
  '/base/v1/nope',
  '/base/v1/things/a/parts',
  '/base/v1/../things',
  '/base/v1/%74hings',
]

for (const path of missing) {
  test(`nothing is at ${JSON.stringify(path)}`, () => {
    const { route, allowed } = table.match('GET', path)
    assert.equal(route, undefined)
    assert.deepEqual(allowed, [])
  })
}

test('a path with other methods names them in a fixed order', () => {
  assert.deepEqual(table.match('DELETE', '/base/v1/things').allowed, ['GET', 'POST'])
  assert.deepEqual(table.match('POST', '/base/v1/things/a').allowed, ['GET', 'DELETE', 'PUT', 'PATCH'])
  assert.equal(table.match('HEAD', '/base/v1/things').route, undefined)
})

test('a parameter that is not percent-encoded UTF-8 is refused', () => {
  for (const path of ['/base/v1/things/%', '/base/v1/things/%zz', '/base/v1/things/%ff']) {
    assert.throws(
      () => table.match('GET', path),
      (error) => error instanceof ApiError && error.status === 400,
    )
  }
})

test('two operations of one shape are refused when the table is made', () => {
  const clash = [
    { method: 'GET', path: '/a/{id}' },
    { method: 'GET', path: '/a/{other}' },
  ]
  assert.throws(() => new RouteTable('', clash), /two operations answer GET/)
})

test('cleaning keeps what it cannot remove', () => {
  assert.equal(cleanPath(''), '/')
  assert.equal(cleanPath('/../..'), '/')
  assert.equal(cleanPath('a/./b//c/'), '/a/b/c')
})

test('a path of thousands of segments costs no more than a short one', () => {
  const long = `/base/v1${'/things/special'.repeat(1000)}`
  assert.equal(table.match('GET', long).route, undefined)
  assert.equal(table.match('GET', `/base/v1${'/..'.repeat(5000)}`).route, undefined)
})
