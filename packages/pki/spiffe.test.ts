import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatSpiffeId, parseSpiffeId, parseTrustDomain, type SpiffeId } from './spiffe.ts'

const trustDomain = 'weft.example'
const ids: [text: string, id: SpiffeId][] = [
  ['spiffe://weft.example', { kind: 'trust domain', trustDomain }],
  ['spiffe://weft.example/controller/ctrl1', { kind: 'controller', trustDomain, controllerId: 'ctrl1' }],
  ['spiffe://weft.example/identity/K7cQ0bYVz', { kind: 'identity', trustDomain, identityId: 'K7cQ0bYVz' }],
  [
    'spiffe://weft.example/identity/O.wf2jvHVs/apiSession/a-1',
    { kind: 'api session', trustDomain, identityId: 'O.wf2jvHVs', apiSessionId: 'a-1' },
  ],
  [
    'spiffe://weft.example/identity/i/apiSession/a/apiSessionCertificate/c',
    { kind: 'api session', trustDomain, identityId: 'i', apiSessionId: 'a', certificateId: 'c' },
  ],
  ['spiffe://weft.example/router/.Ifrmjv5a', { kind: 'router', trustDomain, routerId: '.Ifrmjv5a' }],
  ['spiffe://weft.example/tunnel/t1', { kind: 'other', trustDomain, path: ['tunnel', 't1'] }],
  ['spiffe://weft.example/identity', { kind: 'other', trustDomain, path: ['identity'] }],
  ['spiffe://weft.example/identity/i/extra', { kind: 'other', trustDomain, path: ['identity', 'i', 'extra'] }],
  [
    'spiffe://weft.example/identity/i/apiSession/a/other/c',
    { kind: 'other', trustDomain, path: ['identity', 'i', 'apiSession', 'a', 'other', 'c'] },
  ],
]
for (const [text, id] of ids) {
  test(`${text} reads and writes as ${id.kind}`, () => {
    assert.deepEqual(parseSpiffeId(text), id)
    assert.equal(formatSpiffeId(id), text)
  })
}

test('scheme and trust domain ignore case, ids keep it; a bare slash changes nothing', () => {
  assert.deepEqual(parseSpiffeId('SPIFFE://Weft.Example/identity/aB'), {
    kind: 'identity',
    trustDomain,
    identityId: 'aB',
  })
  assert.deepEqual(parseSpiffeId('spiffe://weft.example/'), { kind: 'trust domain', trustDomain })
})

for (const text of [
  '',
  'https://weft.example/identity/i',
  'spiffe:weft.example',
  'spiffe://weft.example/identity/',
  'spiffe://weft.example//identity/i',
  'spiffe://weft.example/identity/..',
  'spiffe://weft.example/identity/%61',
  'spiffe://weft.example/identity/i?x=1',
  'spiffe://weft.example/identity/a b',
  `spiffe://weft.example/${'a'.repeat(3000)}`,
]) {
  test(`refuses the id ${JSON.stringify(text.slice(0, 50))}`, () => {
    assert.throws(() => parseSpiffeId(text), { code: 'BAD_SPIFFE_ID' })
  })
}

for (const text of [
  'spiffe://',
  'spiffe:///identity/i',
  'spiffe://user@host/identity/i',
  'spiffe://host:80/identity/i',
]) {
  test(`refuses the trust domain of ${text}`, () => {
    assert.throws(() => parseSpiffeId(text), { code: 'BAD_TRUST_DOMAIN' })
  })
}

test('an id that would not read back cannot be written', () => {
  assert.throws(() => formatSpiffeId({ kind: 'identity', trustDomain, identityId: 'a/apiSession/b' }), {
    code: 'BAD_SPIFFE_ID',
  })
  assert.throws(() => formatSpiffeId({ kind: 'identity', trustDomain: 'a/b', identityId: 'i' }), {
    code: 'BAD_TRUST_DOMAIN',
  })
})

test('a configured trust domain comes with or without its scheme', () => {
  assert.equal(parseTrustDomain('spiffe://Weft.Example'), 'weft.example')
  assert.equal(parseTrustDomain(' weft.example '), 'weft.example')
  assert.throws(() => parseTrustDomain('spiffe://weft.example/controller/c'), { code: 'BAD_TRUST_DOMAIN' })
  assert.throws(() => parseTrustDomain(''), { code: 'BAD_TRUST_DOMAIN' })
})
