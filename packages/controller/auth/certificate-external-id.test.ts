import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { CertificateAuthority } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { externalIdOf } from './certificate-external-id.ts'

const authority = await CertificateAuthority.createRoot(
  { subject: { commonName: 'acme' }, trustDomain: 'acme' },
  { clock: systemClock },
)
const { certificate } = authority.issue({
  subject: { commonName: 'acme:tenant:042' },
  publicKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey,
  purposes: ['clientAuth'],
  names: {
    uri: ['https://acme.example/', 'spiffe://acme/tenant/042', 'SPIFFE://acme/tenant/043'],
    email: ['one@acme.example', 'two@other.example'],
  },
})

const none = { matcherCriteria: '', parser: 'NONE', parserCriteria: '', index: 0 }
const cases: readonly (readonly [Partial<Parameters<typeof externalIdOf>[1]>, string | undefined])[] = [
  [{ location: 'COMMON_NAME', matcher: 'ALL' }, 'acme:tenant:042'],
  [{ location: 'COMMON_NAME', matcher: 'ALL', parser: 'SPLIT', parserCriteria: ':', index: 2 }, '042'],
  [{ location: 'COMMON_NAME', matcher: 'PREFIX', matcherCriteria: 'acme:tenant:' }, '042'],
  [{ location: 'COMMON_NAME', matcher: 'SUFFIX', matcherCriteria: ':042' }, 'acme:tenant'],
  [{ location: 'COMMON_NAME', matcher: 'PREFIX', matcherCriteria: 'other:' }, undefined],
  [{ location: 'COMMON_NAME', matcher: 'PREFIX', matcherCriteria: 'acme:tenant:042' }, undefined],
  [{ location: 'SAN_URI', matcher: 'ALL', index: 1 }, 'spiffe://acme/tenant/042'],
  [{ location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'spiffe' }, 'spiffe://acme/tenant/042'],
  [
    {
      location: 'SAN_URI',
      matcher: 'SCHEME',
      matcherCriteria: 'spiffe',
      parser: 'SPLIT',
      parserCriteria: '/',
      index: 9,
    },
    '043',
  ],
  [{ location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'ftp' }, undefined],
  [{ location: 'SAN_EMAIL', matcher: 'SUFFIX', matcherCriteria: '@other.example' }, 'two'],
  [{ location: 'SAN_EMAIL', matcher: 'ALL', index: 2 }, undefined],
]

for (const [claim, expected] of cases) {
  test(`${JSON.stringify(claim)} finds ${expected ?? 'nothing'}`, () => {
    assert.equal(externalIdOf(certificate, { location: '', matcher: '', ...none, ...claim }), expected)
  })
}
