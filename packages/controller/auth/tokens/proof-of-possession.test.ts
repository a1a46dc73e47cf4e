import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CertificateAuthority, generatePrivateKey, publicKeyOf } from '@weft/pki'
import { provesPossession } from './proof-of-possession.ts'

const DAY = 86_400_000
const clock = { now: () => Date.now() }
const root = await CertificateAuthority.createRoot({ subject: { commonName: 'root' }, trustDomain: 'weft' }, { clock })
const foreign = await CertificateAuthority.createRoot(
  { subject: { commonName: 'root' }, trustDomain: 'weft' },
  { clock },
)
const publicKey = publicKeyOf(await generatePrivateKey('P-256'))

function leaf(authority: CertificateAuthority, uri: string, lifetime = DAY) {
  const subject = { commonName: 'somebody' }
  return authority.issue({ subject, publicKey, purposes: ['clientAuth'], names: { uri: [uri] }, lifetime }).certificate
}

const own = leaf(root, 'spiffe://weft/identity/me')
const other = leaf(root, 'spiffe://weft/identity/other')
const deps = { network: () => ({ roots: [root.certificate], intermediates: [] }) }
const bound = { sub: 'me', z_asid: 'session', z_cfs: [own.fingerprint] }
const proves = (claims: typeof bound & { z_cae?: true }, certificates: readonly { der: Buffer }[], now = Date.now()) =>
  provesPossession(
    deps,
    claims,
    certificates.map(({ der }) => der),
    now,
  )

test('a token that is bound to nothing needs no certificate and minds none', () => {
  for (const z_cfs of [null, []]) {
    assert.ok(provesPossession(deps, { ...bound, z_cfs }, [], Date.now()))
    assert.ok(provesPossession(deps, { ...bound, z_cfs }, [other.der], Date.now()))
  }
})

test('a bound token needs the leaf it names, and no certificate that merely comes along', () => {
  assert.ok(proves(bound, [own]))
  assert.ok(!proves(bound, []))
  assert.ok(!proves(bound, [other]))
  assert.ok(!proves(bound, [other, own]))
  assert.ok(!proves(bound, [{ der: Buffer.from('junk') }]))
})

test('an expired leaf counts only where the policy allowed it at login', () => {
  const later = Date.now() + 2 * DAY
  assert.ok(!proves(bound, [own], later))
  assert.ok(proves({ ...bound, z_cae: true }, [own], later))
})

test('a leaf that the network issued to the very session counts as well', () => {
  const path = (identity: string, session: string) => `spiffe://weft/identity/${identity}/apiSession/${session}`
  assert.ok(proves(bound, [leaf(root, path('me', 'session'))]))
  assert.ok(proves(bound, [leaf(root, `${path('me', 'session')}/apiSessionCertificate/1`)]))
  assert.ok(!proves(bound, [leaf(root, path('me', 'another'))]))
  assert.ok(!proves(bound, [leaf(root, path('other', 'session'))]))
  assert.ok(!proves(bound, [leaf(foreign, path('me', 'session'))]))
  assert.ok(!proves({ ...bound, z_cae: true }, [leaf(root, path('me', 'session'))], Date.now() + 2 * DAY))
})
