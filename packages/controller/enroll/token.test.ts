import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CertificateAuthority, parseCertificates } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { findOne } from '../state/view.ts'
import { newCsr } from '../testing/enrolling.ts'
import { idOf } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'
import { TokenIssuer } from '../testing/token-issuer.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const { view } = controller.core.kit
const root = await CertificateAuthority.createRoot(
  { subject: { commonName: 'provider' }, trustDomain: 'provider' },
  { clock: systemClock },
)
let count = 0

/** An identity provider that is known to the controller. */
async function provider(values: object = {}) {
  const keyId = `key-${++count}`
  const issuer = TokenIssuer.ec(keyId)
  const iss = `https://provider-${count}.example`
  const { certificate } = root.issue({
    subject: { commonName: keyId },
    publicKey: issuer.publicKey,
    purposes: ['clientAuth'],
    names: {},
  })
  const signer = {
    name: keyId,
    certPem: certificate.pem,
    kid: keyId,
    issuer: iss,
    audience: 'weft',
    enabled: true,
    useExternalId: true,
    enrollToCertEnabled: true,
    enrollToTokenEnabled: true,
    enrollNameClaimsSelector: '/name',
    enrollAttributeClaimsSelector: '/groups',
    ...values,
  }
  const signerId = idOf(await controller.askAdmin('POST', '/external-jwt-signers', signer))
  const token = (claims: object = {}) =>
    issuer.token({
      iss,
      aud: 'weft',
      exp: Date.now() / 1_000 + 60,
      sub: `sub-${keyId}`,
      name: `name ${keyId}`,
      ...claims,
    })
  return { signerId, token, subject: `sub-${keyId}` }
}

function enroll(token: string, body: object = {}, headers: Readonly<Record<string, string>> = {}) {
  const authorization = `Bearer ${token}`
  return controller.askClient({ method: 'POST', path: '/enroll/token', body, headers: { authorization, ...headers } })
}

test('a token makes an identity from what it says, once', async () => {
  const { token, subject } = await provider()
  const { status, json } = await enroll(token({ groups: ['one', 'two'] }))
  assert.deepEqual([status, Object.keys(json.data)], [200, ['controllers']])
  const identity = findOne(view, 'identities', 'externalId', subject)!
  assert.partialDeepStrictEqual(identity, { name: `name ${subject.slice(4)}`, roleAttributes: ['one', 'two'] })
  const again = await enroll(token({ name: 'another name' }))
  assert.deepEqual([again.status, again.json.error.code], [409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED'])
})

test('with a request it gets a certificate under its own name', async () => {
  const { token, subject } = await provider()
  const bad = await enroll(token(), { clientCsr: 'junk' })
  assert.deepEqual([bad.status, bad.json.error.code], [400, 'COULD_NOT_PROCESS_CSR'])
  const { status, json } = await enroll(token(), { clientCsr: newCsr('x') })
  assert.equal(status, 200)
  const { id } = findOne(view, 'identities', 'externalId', subject)!
  const [leaf] = parseCertificates(json.data.cert)
  assert.deepEqual(leaf!.names.uri, [`spiffe://weft/identity/${id}`])
  assert.equal(parseCertificates(json.data.ca).length, 2)
  assert.partialDeepStrictEqual(findOne(view, 'authenticators', 'identityId', id), {
    certFingerprint: leaf!.fingerprint,
    isIssuedByNetwork: true,
  })
})

test('one token makes one identity, also when five ask at the same time', async () => {
  const { token, subject } = await provider()
  const one = token()
  const answers = await Promise.all(Array.from({ length: 5 }, () => enroll(one, { clientCsr: newCsr('x') })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409])
  assert.equal(view.find('identities', 'externalId', subject).toArray().length, 1)
})

test('a token that is not right in every part makes nobody', async () => {
  const [known, other] = [await provider(), await provider()]
  const disabled = await provider({ enabled: false })
  const refused: [string, string, Readonly<Record<string, string>>?][] = [
    ['expired', known.token({ exp: Date.now() / 1_000 - 1 })],
    ['without an end', known.token({ exp: undefined })],
    ['for somebody else', known.token({ aud: 'others' })],
    ['of an unknown issuer', known.token({ iss: 'https://nobody.example' })],
    ['signed by another', other.token({ iss: 'https://provider-1.example' })],
    ['of a disabled signer', disabled.token()],
    ['without a name', known.token({ name: undefined })],
    ['with a number for a name', known.token({ name: 7 })],
    ['with attributes that are none', known.token({ groups: [7] })],
    ['of another signer than it says', known.token(), { 'ziti-token-issuer-id': other.signerId }],
    ['that is none', 'garbage'],
  ]
  for (const [what, token, headers] of refused) {
    const { status, json } = await enroll(token, {}, headers)
    assert.deepEqual([status, json.error.code], [400, 'INVALID_ENROLLMENT_TOKEN'], what)
  }
  assert.equal(findOne(view, 'identities', 'externalId', known.subject), undefined)
  const named = await enroll(known.token(), {}, { 'ziti-token-issuer-id': known.signerId })
  assert.equal(named.status, 200)
  const none = await controller.askClient({ method: 'POST', path: '/enroll/token', body: {} })
  assert.deepEqual([none.status, none.json.error.cause.field], [400, 'Authorization'])
})

test('a signer lets in only by the ways it allows', async () => {
  const toToken = await provider({ enrollToCertEnabled: false })
  const toCertificate = await provider({ enrollToTokenEnabled: false })
  for (const [token, body] of [
    [toToken.token(), { clientCsr: newCsr('x') }],
    [toCertificate.token(), {}],
  ] as const) {
    const { status, json } = await enroll(token, body)
    assert.deepEqual([status, json.error.code], [409, 'INVALID_ENROLLMENT_NOT_ALLOWED'])
  }
})
