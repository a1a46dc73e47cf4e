import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRouterConfig } from './load-router-config.ts'
import { routerSchema } from './router-schema.ts'
import { type NewRouter, writeRouterConfig } from './write-router-config.ts'

const usual: NewRouter = {
  name: 'r1',
  directory: '/var/lib/r1',
  controller: 'ctrl.example.net:1280',
  host: 'r1.example.net',
  edgePort: 3_022,
  linkPort: 10_080,
  isWebSocket: false,
  isPrivate: false,
  tunnel: 'host',
  lanInterface: undefined,
  isEdge: true,
}

const load = (text: string) => loadRouterConfig({ fileName: '/etc/r1.yml', text }, {}, {})

for (const [what, changes] of [
  ['the usual one', {}],
  ['for browsers', { isWebSocket: true }],
  ['private', { isPrivate: true }],
  ['without tunnel', { tunnel: 'none' }],
  ['intercepting', { tunnel: 'tproxy', lanInterface: 'eth0' }],
  ['with ports for services', { tunnel: 'proxy' }],
  ['without clients', { isEdge: false, tunnel: 'none' }],
  ['without controller', { controller: undefined }],
  ['at an IPv6 address', { host: '2001:db8::1', controller: '[2001:db8::2]:1280' }],
  ['in an odd directory', { directory: '/var/lib/a "b": #c' }],
] satisfies [string, Partial<NewRouter>][]) {
  test(`${what}: loads without a warning, and so it does with every comment made a setting`, () => {
    const text = writeRouterConfig({ ...usual, ...changes })
    assert.deepEqual(load(text).warnings, [])
    const uncommented = text.replaceAll(/^( *)#(?=[^ ])/gm, '$1')
    assert.deepEqual(load(uncommented).warnings, [])
    assert.ok(text.split('\n').every((line) => line.length <= 120))
  })
}

test('says what was asked for', () => {
  const { config } = load(writeRouterConfig(usual))
  assert.deepEqual(
    config.ctrl.endpoints.map(({ text }) => text),
    ['tls:ctrl.example.net:1280'],
  )
  assert.equal(config.identity.serverCert, '/var/lib/r1/r1.server.chain.cert')
  assert.equal(config.link.listeners[0]!.advertise.text, 'tls:r1.example.net:10080')
  const [edge, tunnel] = config.listeners
  assert.ok(edge?.binding === 'edge' && tunnel?.binding === 'tunnel')
  assert.deepEqual([edge.address.text, edge.advertise.text], ['tls:0.0.0.0:3022', 'r1.example.net:3022'])
  assert.equal(tunnel.options.mode.kind, 'host')
  assert.deepEqual(config.csr?.sans.dns, ['localhost', 'r1.example.net'])
})

test('a private router has no listener for links, one without clients has no edge', () => {
  assert.deepEqual(load(writeRouterConfig({ ...usual, isPrivate: true })).config.link.listeners, [])
  const { config } = load(writeRouterConfig({ ...usual, isEdge: false, tunnel: 'none' }))
  assert.deepEqual([config.edge, config.listeners], [undefined, []])
  assert.deepEqual(config.csr?.sans.ip, ['127.0.0.1', '::1'])
})

test('everything that a router can be told stands in it, at least as a comment', () => {
  const text = writeRouterConfig(usual)
  for (const key of Object.keys(routerSchema.keys)) {
    // Extensions for Go programs, and the place for a request of a router without clients.
    if (key === 'plugins' || key === 'csr') continue
    assert.match(text, new RegExp(`^#?${key}:`, 'm'), key)
  }
})
