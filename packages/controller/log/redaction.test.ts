import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSecretKey, REDACTED, redactFields, redactText } from './redaction.ts'

test('knows secret keys in every spelling', () => {
  const secret = [
    'password',
    'newPassword',
    'Authorization',
    'zt-session',
    'ZT_SESSION',
    'accessToken',
    'jwt',
    'secret',
  ]
  const further = ['client_secret', 'Set-Cookie', 'totpSeed', 'salt', 'recoveryCodes', 'enrollmentToken', 'private_key']
  for (const key of [...secret, ...further]) assert.ok(isSecretKey(key), key)
  for (const key of ['name', 'tokenCount', 'isPasswordSet', 'session', 'path', 'code'])
    assert.ok(!isSecretKey(key), key)
})

test('hides secrets at any depth and keeps the rest', () => {
  const fields = {
    user: 'admin',
    body: { username: 'admin', password: 'opensesame', nested: [{ token: 'abc' }, { token: null }] },
    headers: new Map([['zt-session', '1234-5678']]),
    hasPassword: true,
  }
  assert.deepEqual(redactFields(fields), {
    user: 'admin',
    body: { username: 'admin', password: REDACTED, nested: [{ token: REDACTED }, { token: null }] },
    headers: { 'zt-session': REDACTED },
    hasPassword: true,
  })
})

test('hides secrets that can be told by their look', () => {
  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl'
  assert.equal(redactText(`got ${jwt} there`), `got ${REDACTED} there`)
  assert.equal(redactText('authorization: Bearer abcdefgh12345'), `authorization: Bearer ${REDACTED}`)
  const key = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----'
  assert.equal(redactText(`key ${key}.`), `key ${REDACTED}.`)
})

test('hides secrets inside errors and their causes', () => {
  const cause = Object.assign(new Error('Bearer abcdefgh12345'), { token: 'abc' })
  const shown = JSON.stringify(redactFields({ err: new Error('failed', { cause }) }))
  assert.match(shown, /failed/)
  assert.doesNotMatch(shown, /abcdefgh12345|"abc"/)
})

test('stays bounded and never throws on hostile values', () => {
  const cycle: Record<string, unknown> = { text: 'x'.repeat(1_000_000) }
  cycle['self'] = cycle
  const hostile = {
    cycle,
    get angry(): never {
      throw new Error('no')
    },
    proxy: new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('no')
        },
      },
    ),
    big: 10n,
    date: new Date(Number.NaN),
    call: () => 1,
    number: Number.POSITIVE_INFINITY,
    bytes: Buffer.from('abc'),
    wide: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i])),
    many: Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 'y')),
  }
  const shown = redactFields(hostile)
  assert.ok(JSON.stringify(shown).length < 200_000)
  assert.equal(shown['angry'], '[unreadable]')
  assert.equal(shown['proxy'], '[unreadable]')
  assert.equal(shown['big'], '10')
  assert.equal(shown['bytes'], '3 bytes')
  assert.equal('call' in shown, false)
})

test('a key named __proto__ stays an ordinary key', () => {
  const shown = redactFields(JSON.parse('{"__proto__": {"polluted": true}}'))
  assert.equal(Object.getPrototypeOf(shown), Object.prototype)
  assert.ok(Object.hasOwn(shown, '__proto__'))
})

test('takes linear time on text made to look like the start of many secrets', () => {
  const texts = ['eyJ-', 'eyJaaaaa.', 'bearer ', '-----BEGIN PRIVATE KEY-----'].map((piece) => piece.repeat(3_000))
  const start = performance.now()
  for (const text of texts) redactText(text)
  assert.ok(performance.now() - start < 100)
})
