import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AddressFault, isLoopbackHost, isSameHostPort, parseHostPort, parseProtocolAddress } from './address.ts'

const strict = { lowestPort: 1, hostMayBeEmpty: false } as const
const listener = { lowestPort: 0, hostMayBeEmpty: true } as const

test('splits host and port', () => {
  assert.deepEqual(parseHostPort(' localhost:1280 ', strict), { host: 'localhost', port: 1280, text: 'localhost:1280' })
  assert.deepEqual(parseHostPort('[::1]:1280', strict), { host: '::1', port: 1280, text: '[::1]:1280' })
  assert.deepEqual(parseHostPort('[fe80::1%eth0]:1', strict), {
    host: 'fe80::1%eth0',
    port: 1,
    text: '[fe80::1%eth0]:1',
  })
  assert.deepEqual(parseHostPort(':0', listener), { host: '', port: 0, text: ':0' })
})

test('says what a wrong address has instead', () => {
  const cases: [string, RegExp][] = [
    ['', /^nothing$/],
    ['localhost', /^no port$/],
    ['localhost:', /^no port$/],
    ['[::1]', /^no port$/],
    ['::1', /^no port$/],
    ['::1:1280x', /^too many colons; an IPv6 address wants brackets/],
    [':1280', /^no host$/],
    ['[]:1280', /^brackets around something/],
    ['[localhost]:1280', /^brackets around something/],
    ['localhost:0', /^port 0, which is not from 1 to 65535$/],
    ['localhost:65536', /^port 65536/],
    ['localhost:http', /^port http/],
    ['localhost:1e3', /^port 1e3/],
    ['https://localhost:1280', /^a URL$/],
    ['a b:1', /^a sign that no host name has$/],
    ['a/b:1', /^a sign that no host name has$/],
  ]
  for (const [text, found] of cases) {
    const fault = parseHostPort(text, strict)
    assert.ok(fault instanceof AddressFault, text)
    assert.match(fault.found, found, text)
  }
})

test('splits the protocol off', () => {
  assert.deepEqual(parseProtocolAddress('tls:[::]:6262', ['tls'], listener), {
    protocol: 'tls',
    host: '::',
    port: 6262,
    text: 'tls:[::]:6262',
  })
  assert.deepEqual(parseProtocolAddress('tls::6262', ['tls', 'dtls'], listener), {
    protocol: 'tls',
    host: '',
    port: 6262,
    text: 'tls::6262',
  })
  const found = (text: string) => (parseProtocolAddress(text, ['tls'], strict) as AddressFault).found
  assert.equal(found('tls:0.0.0.0'), 'no port')
  assert.equal(found('tls::6262'), 'no host')
  assert.equal(found('tcp:0.0.0.0:6262'), 'protocol tcp')
  assert.equal(found('127.0.0.1:6262'), 'no protocol')
  assert.equal(found('localhost:6262'), 'no protocol')
  assert.equal(found('tls://localhost:6262'), 'a URL')
  assert.equal(found(''), 'no protocol')
})

test('compares addresses by what they name', () => {
  const at = (text: string) => parseHostPort(text, strict) as Exclude<ReturnType<typeof parseHostPort>, AddressFault>
  assert.ok(isSameHostPort(at('Ctrl.Example:1'), at('ctrl.example:1')))
  assert.ok(isSameHostPort(at('[0:0::1]:1'), at('[::1]:1')))
  assert.ok(!isSameHostPort(at('a:1'), at('a:2')))
  assert.ok(!isSameHostPort(at('127.0.0.1:1'), at('localhost:1')))
})

test('knows loopback hosts', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', '0:0:0:0:0:0:0:1', 'localhost', 'LOCALHOST']) {
    assert.ok(isLoopbackHost(host), host)
  }
  for (const host of ['0.0.0.0', '::', '', '128.0.0.1', '127.evil.example', 'localhost.example', '::ffff:10.0.0.1']) {
    assert.ok(!isLoopbackHost(host), host)
  }
})
