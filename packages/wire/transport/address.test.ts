import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAddress, parseAddress } from './address.ts'

test('addresses are read and written', () => {
  const cases: [string, ReturnType<typeof parseAddress>, string?][] = [
    ['tls:router.example:6262', { type: 'tls', host: 'router.example', port: 6262 }],
    ['tls:127.0.0.1:0', { type: 'tls', host: '127.0.0.1', port: 0 }],
    ['tls:[::1]:65535', { type: 'tls', host: '::1', port: 65535 }],
    ['tls::6262', { type: 'tls', host: '', port: 6262 }],
    ['tls://router.example:6262', { type: 'tls', host: 'router.example', port: 6262 }, 'tls:router.example:6262'],
    ['tcp:a_b-c:1', { type: 'tcp', host: 'a_b-c', port: 1 }],
    ['ws:host:80', { type: 'ws', host: 'host', port: 80 }],
    ['wss:host:443', { type: 'wss', host: 'host', port: 443 }],
  ]
  for (const [text, address, canonical = text] of cases) {
    assert.deepEqual(parseAddress(text), address, text)
    assert.equal(formatAddress(address), canonical)
  }
})

test('what is no address is refused', () => {
  const bad = [
    '',
    'tls',
    'tls:',
    'tls:host',
    'tls:host:',
    'tls:host:http',
    'tls:host:65536',
    'tls:host:-1',
    'tls:::1:80',
  ]
  bad.push(
    'tls:[host]:80',
    'tls:[::1:80',
    'TLS:host:80',
    'host:80',
    'tls:ho st:80',
    `tls:${'a'.repeat(600)}:80`,
    'tls:a/b:80',
  )
  for (const text of bad) assert.throws(() => parseAddress(text), { code: 'BAD_ADDRESS' }, text)
})

test('transports that are not served say so', () => {
  for (const text of ['dtls:host:6262', 'udp:host:53', 'transwarp:host:1', 'transwarptls:host:1', 'westworld:host:1']) {
    assert.throws(() => parseAddress(text), { code: 'UNSUPPORTED_TRANSPORT' }, text)
  }
  assert.throws(() => parseAddress('dtls:host:6262'), /use tls/)
  assert.throws(() => parseAddress('constructor:host:1'), { code: 'BAD_ADDRESS' })
})
