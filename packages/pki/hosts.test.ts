import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortHosts } from './hosts.ts'

test('sorts names from addresses, in canonical form and once each', () => {
  const hosts = [
    'Ctrl.Example.com',
    '::1',
    '0:0::1',
    '10.0.0.1',
    'localhost',
    'ctrl.example.com',
    '*.example.com',
    'a_b',
  ]
  assert.deepEqual(sortHosts(hosts), {
    dns: ['ctrl.example.com', 'localhost', '*.example.com', 'a_b'],
    ip: ['::1', '10.0.0.1'],
  })
})

for (const host of [
  '',
  'a b',
  'a..b',
  '.a',
  'a.',
  '-a',
  '1.2.3',
  '1.2.3.256',
  '*',
  '*.com',
  'a.*.com',
  'münchen.de',
  'a'.repeat(64),
  `${'a.'.repeat(127)}a`,
  'a/b',
  '[::1]',
  'a:1280',
  'a\0b',
]) {
  test(`refuses ${JSON.stringify(host.slice(0, 20))}`, () => {
    assert.throws(() => sortHosts([host]), { code: 'BAD_HOST' })
  })
}

test('refuses more hosts than a certificate should carry', () => {
  assert.equal(sortHosts(Array.from({ length: 128 }, (_, i) => `h${i}`)).dns.length, 128)
  assert.throws(() => sortHosts(Array.from({ length: 129 }, (_, i) => `h${i}`)), { code: 'BAD_HOST' })
})
