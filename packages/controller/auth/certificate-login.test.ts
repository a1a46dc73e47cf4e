import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { type Certificate, CertificateAuthority } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { createAuthPolicy, idOf } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'
import { CertificateLogin } from './certificate-login.ts'
import { CertificateTrust } from './certificate-trust.ts'
import type { Login } from './login.ts'
import { openSession } from './open-session.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

type Json = Readonly<Record<string, unknown>>

const DAY = 86_400_000
const { view } = controller.core.kit

const root = await newRoot()
const signing = await root.createIntermediate({ subject: { commonName: 'signing' } })
const trust = new CertificateTrust(() => ({ roots: [root.certificate], intermediates: [signing.certificate] }))
const logins = new CertificateLogin({ view, trust, clock: systemClock })
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const subject = { commonName: 'device' }

function newRoot(offset = 0): Promise<CertificateAuthority> {
  const clock = { now: () => Date.now() + offset }
  return CertificateAuthority.createRoot({ subject: { commonName: randomUUID() }, trustDomain: 'test' }, { clock })
}

/** The same authority at another time. */
function at(authority: CertificateAuthority, offset: number): CertificateAuthority {
  const { certificate, key } = authority
  return new CertificateAuthority({ certificate, key }, { clock: { now: () => Date.now() + offset } })
}

function issue(authority: CertificateAuthority, key: KeyObject = publicKey): Certificate {
  return authority.issueClientCertificate({ subject, publicKey: key }).certificate
}

async function createIdentity(values: Json = {}): Promise<string> {
  const body = { name: randomUUID(), type: 'Default', isAdmin: false, ...values }
  return idOf(await controller.askAdmin('POST', '/identities', body))
}

async function enroll(certificate: Certificate, values: Json = {}, authenticator: Json = {}) {
  const identityId = await createIdentity(values)
  const { fingerprint: certFingerprint, pem: certPem } = certificate
  const row = { identityId, method: 'cert', certFingerprint, certPem, isIssuedByNetwork: true, ...authenticator }
  const { id } = await controller.write((change) => change.create('authenticators', row))
  return { identityId, id }
}

async function createCa(authority: CertificateAuthority, values: Json = {}): Promise<string> {
  const body = {
    name: randomUUID(),
    certPem: authority.certificate.pem,
    identityRoles: [],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
    ...values,
  }
  const id = idOf(await controller.askAdmin('POST', '/cas', body))
  await controller.write((change) => change.update('cas', id, { isVerified: true }))
  return id
}

async function policyWith(cert: Json): Promise<string> {
  const id = await createAuthPolicy(controller, {})
  const { name, primary, secondary } = (await controller.askAdmin('GET', `/auth-policies/${id}`)).json.data
  await controller.askAdmin('PUT', `/auth-policies/${id}`, { name, primary: { ...primary, cert }, secondary })
  return id
}

function login(...chain: readonly Certificate[]): Login {
  return logins.login(chain.map(({ der }) => der))
}

function refuses(reason: RegExp, ...chain: readonly Certificate[]): void {
  assert.throws(() => login(...chain), { code: 'INVALID_AUTH', status: 401, reason })
}

function open(by: Login) {
  const info = { configTypes: [], sdkInfo: undefined, envInfo: undefined }
  return controller.write((change) => openSession(change, by, info, '127.0.0.1'))
}

test('the leaf finds its identity; a chain that is incomplete is completed and told', async () => {
  const leaf = issue(signing)
  const { identityId, id } = await enroll(leaf, {}, { certPem: null })
  const whole = login(leaf, signing.certificate)
  assert.deepEqual([whole.identityId, whole.authenticatorId], [identityId, id])
  const session = await open(whole)
  assert.deepEqual([session.isCertExtendable, session.improperClientCertChain], [true, false])
  const { certPem, lastAuthResolvedToRoot } = view.get('authenticators', id)!
  assert.deepEqual([certPem, lastAuthResolvedToRoot], [leaf.pem, true])
  const alone = await open(login(leaf))
  assert.equal(alone.improperClientCertChain, true)
  assert.equal(view.get('authenticators', id)!.lastAuthResolvedToRoot, false)
})

test('only the leaf proves possession: a certificate that is sent along is nobody', async () => {
  const [victim, own] = [issue(signing), issue(await newRoot())]
  await enroll(victim)
  refuses(/no trusted authority/, own, victim, signing.certificate)
  const other = issue(signing)
  refuses(/not enrolled/, other, victim, signing.certificate)
})

describe('refused certificates', () => {
  test('none', () => refuses(/no certificate/))

  test('bytes that are no certificate', () => {
    assert.throws(() => logins.login([Buffer.from('garbage')]), { code: 'INVALID_AUTH' })
  })

  test('of an unknown authority', async () => refuses(/no trusted authority/, issue(await newRoot())))

  test('self-signed', async () => {
    const { certificate } = await newRoot()
    await enroll(certificate)
    refuses(/signed by itself/, certificate)
  })

  test('signed by a leaf, or by another key under the name of an authority', async () => {
    const impostor = await CertificateAuthority.createRoot(
      { subject: { commonName: 'signing' }, trustDomain: 'test' },
      { clock: systemClock },
    )
    const forged = issue(impostor)
    await enroll(forged)
    refuses(/trusted authority|was not signed/, forged, impostor.certificate)
  })

  test('wrong purpose', async () => {
    const { certificate } = signing.issueServerCertificate({ subject, publicKey, hosts: ['device.example'] })
    await enroll(certificate)
    refuses(/is not for clientAuth/, certificate, signing.certificate)
  })

  test('mismatched key: the same name and serial holder, another certificate', async () => {
    await enroll(issue(signing))
    const { publicKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    refuses(/not enrolled/, issue(signing, other), signing.certificate)
  })

  test('a fingerprint that is enrolled for another certificate', async () => {
    const leaf = issue(signing)
    await enroll(leaf, {}, { certPem: issue(signing).pem })
    refuses(/same fingerprint/, leaf, signing.certificate)
  })

  test('not yet valid', async () => {
    const leaf = issue(at(root, DAY))
    await enroll(leaf)
    refuses(/not valid yet/, leaf)
  })

  test('expired, unless the auth policy allows it', async () => {
    const old = await newRoot(-800 * DAY)
    await createCa(old)
    const [one, two] = [issue(old), issue(old)]
    await enroll(one, { authPolicyId: await policyWith({ allowed: true, allowExpiredCerts: false }) })
    const { identityId } = await enroll(two, {
      authPolicyId: await policyWith({ allowed: true, allowExpiredCerts: true }),
    })
    refuses(/has expired/, one)
    assert.equal(login(two).identityId, identityId)
  })

  test('where the auth policy allows none, or the identity is disabled', async () => {
    const [one, two] = [issue(signing), issue(signing)]
    await enroll(one, { authPolicyId: await policyWith({ allowed: false, allowExpiredCerts: true }) })
    const { identityId } = await enroll(two)
    await controller.askAdmin('POST', `/identities/${identityId}/disable`, { durationMinutes: 0 })
    refuses(/does not allow/, one)
    refuses(/disabled/, two)
  })
})

describe('third-party CAs', () => {
  test('vouch while they are verified and enabled, without a restart', async () => {
    const authority = await newRoot()
    const leaf = issue(authority)
    const { identityId } = await enroll(leaf, {}, { isIssuedByNetwork: false })
    refuses(/no trusted authority/, leaf)
    const id = await createCa(authority)
    const accepted = login(leaf)
    assert.deepEqual([accepted.identityId, accepted.certificate?.isExtendable], [identityId, false])
    await controller.askAdmin('PATCH', `/cas/${id}`, { isAuthEnabled: false })
    refuses(/no trusted authority/, leaf)
    await controller.askAdmin('PATCH', `/cas/${id}`, { isAuthEnabled: true })
    assert.equal(login(leaf).identityId, identityId)
    await controller.write((change) => change.update('cas', id, { isVerified: false }))
    refuses(/no trusted authority/, leaf)
  })

  test('may name the identity; an empty name matches nobody', async () => {
    const authority = await newRoot()
    const externalIdClaim = {
      location: 'SAN_URI',
      matcher: 'SCHEME',
      matcherCriteria: 'spiffe',
      parser: 'SPLIT',
      parserCriteria: '/',
      index: 4,
    }
    const caId = await createCa(authority, { externalIdClaim })
    const externalId = randomUUID()
    const identityId = await createIdentity({ externalId })
    const named = (spiffeId: string) => authority.issueClientCertificate({ subject, publicKey, spiffeId }).certificate
    const leaf = named(`spiffe://acme/device/${externalId}`)
    const accepted = login(leaf)
    const { leafOfCa, ...who } = accepted
    assert.deepEqual(who, { identityId, authenticatorId: 'internal', caId })
    assert.ok(leafOfCa?.equals(leaf))
    assert.equal((await open(accepted)).authenticatorId, 'internal')
    refuses(/no identity has the external id/, named('spiffe://acme/device/somebody'))
    refuses(/not enrolled/, named('spiffe://acme/device/'))
    refuses(/not enrolled/, named('spiffe://acme'))
    await controller.askAdmin('PATCH', `/cas/${caId}`, { isAuthEnabled: false })
    await assert.rejects(open(accepted), { code: 'INVALID_AUTH' })
  })
})

test('an administrator may ask for a new certificate, and running sessions learn of it', async () => {
  const leaf = issue(signing)
  const { id } = await enroll(leaf)
  const { token } = await open(login(leaf, signing.certificate))
  const current = async () => (await controller.ask({ path: '/current-api-session', token })).json.data
  assert.deepEqual(pick(await current()), [true, undefined, undefined])
  await controller.askAdmin('POST', `/authenticators/${id}/request-extend`, { rollKeys: true })
  assert.deepEqual(pick(await current()), [true, true, true])
})

function pick({ isCertExtendable, isCertExtendRequested, isCertKeyRollRequested }: Json) {
  return [isCertExtendable, isCertExtendRequested, isCertKeyRollRequested]
}
