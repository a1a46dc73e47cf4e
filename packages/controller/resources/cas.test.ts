import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { CertificateAuthority, generatePrivateKey, publicKeyOf } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { idOf } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const publicKey = publicKeyOf(await generatePrivateKey('P-256'))
const DAY = 86_400_000

let count = 0

interface RegisteredCa {
  readonly id: string
  readonly token: string
  readonly authority: CertificateAuthority
}

async function register(values: object = {}, clock = systemClock): Promise<RegisteredCa> {
  const authority = await CertificateAuthority.createRoot(
    { subject: { commonName: `ca ${++count}` }, trustDomain: 'elsewhere' },
    { clock },
  )
  const id = idOf(await controller.askAdmin('POST', '/cas', { ...bodyOf(authority), ...values }))
  return { id, token: (await get(id)).verificationToken, authority }
}

function bodyOf(authority: CertificateAuthority) {
  const switches = { isAuthEnabled: true, isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: true }
  return { name: `ca ${count}`, certPem: authority.certificate.pem, identityRoles: [], ...switches }
}

async function get(id: string) {
  return (await controller.askAdmin('GET', `/cas/${id}`)).json.data
}

/** A certificate over a common name, as the owner of a CA would make it to prove that. */
function proof(authority: CertificateAuthority, commonName: string): string {
  return authority.issue({ subject: { commonName }, publicKey, purposes: ['clientAuth'], names: {} }).certificate.pem
}

async function verify(id: string, body: string, contentType = 'text/plain'): Promise<string> {
  const path = `/cas/${id}/verify`
  const { status, json } = await controller.ask({ method: 'POST', path, token: controller.admin, body, contentType })
  return status === 200 ? 'verified' : json.error.code
}

describe('a CA is verified', () => {
  test('by a certificate over its token that it has signed, and only once', async () => {
    const { id, token, authority } = await register()
    assert.equal(await verify(id, proof(authority, token)), 'verified')
    const { isVerified, _links } = await get(id)
    assert.deepEqual([isVerified, _links.verify], [true, undefined])
    assert.equal(await verify(id, proof(authority, token)), 'CA_ALREADY_VERIFIED')
  })

  test('by the same as a JSON text', async () => {
    const { id, token, authority } = await register()
    assert.equal(await verify(id, JSON.stringify(proof(authority, token)), 'application/json'), 'verified')
  })

  test('by nothing else', async () => {
    const { id, token, authority } = await register()
    const other = await register()
    const between = await authority.createIntermediate({ subject: { commonName: 'between' } })
    const good = proof(authority, token)
    const cases: [string, string][] = [
      ['not a certificate', 'COULD_NOT_PARSE_BODY'],
      [good.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST'), 'EXPECTED_PEM_CERTIFICATE'],
      [good.replace(/\n.{8}/, '\nMIIBAAAA'), 'COULD_NOT_PARSE_DER_BLOCK'],
      [proof(authority, 'another name'), 'INVALID_COMMON_NAME'],
      [proof(other.authority, token), 'CERTIFICATE_FAILED_VALIDATION'],
      [proof(between, token), 'CERTIFICATE_FAILED_VALIDATION'],
      [authority.certificate.pem, 'INVALID_COMMON_NAME'],
    ]
    for (const [body, code] of cases) assert.equal(await verify(id, body), code)
    assert.equal((await get(id)).isVerified, false)
  })

  test('not by a certificate that has expired', async () => {
    const lastYear = { ...systemClock, now: () => Date.now() - 400 * DAY }
    const { id, token, authority } = await register({}, lastYear)
    assert.equal(await verify(id, proof(authority, token)), 'CERTIFICATE_FAILED_VALIDATION')
  })
})

test('certificate, proof and token of a CA are out of reach of every verb', async () => {
  const { id, token, authority } = await register()
  const other = await CertificateAuthority.createRoot(
    { subject: { commonName: 'other' }, trustDomain: 'elsewhere' },
    { clock: systemClock },
  )
  const forged = {
    certPem: other.certificate.pem,
    isVerified: true,
    verificationToken: 'chosen',
    fingerprint: 'chosen',
  }
  const put = { ...bodyOf(authority), ...forged, name: `renamed ${id}`, identityNameFormat: '' }
  assert.equal((await controller.askAdmin('PUT', `/cas/${id}`, put)).status, 200)
  assert.equal((await controller.askAdmin('PATCH', `/cas/${id}`, forged)).status, 200)
  const { certPem, isVerified, verificationToken, fingerprint } = await get(id)
  const { certificate } = authority
  assert.deepEqual(
    [certPem, isVerified, verificationToken, fingerprint],
    [certificate.pem, false, token, certificate.fingerprint],
  )
})

test('what is no certificate of an authority is refused', async () => {
  const { authority } = await register()
  const leaf = proof(authority, 'leaf')
  for (const certPem of ['', leaf]) {
    const { json } = await controller.askAdmin('POST', '/cas', { ...bodyOf(authority), certPem })
    assert.equal(json.error.code, 'CERTIFICATE_IS_NOT_CA')
  }
  const known = await controller.askAdmin('POST', '/cas', { ...bodyOf(authority), name: 'second' })
  assert.equal(known.json.error.cause.field, 'certPem')
})

const claim = {
  location: 'SAN_URI',
  matcher: 'SCHEME',
  matcherCriteria: 'spiffe',
  parser: 'SPLIT',
  parserCriteria: '/',
  index: 2,
}

describe('an external id claim', () => {
  for (const [what, change] of [
    ['a matcher that does not fit the location', { matcher: 'PREFIX' }],
    ['a scheme in a common name', { location: 'COMMON_NAME' }],
    ['a matcher without criteria', { matcherCriteria: '' }],
    ['a parser without criteria', { parserCriteria: '' }],
    ['a negative index', { index: -1 }],
  ] as const) {
    test(`with ${what} is refused when it is configured`, async () => {
      const { id, authority } = await register({ externalIdClaim: claim })
      const put = {
        ...bodyOf(authority),
        name: `${id} x`,
        identityNameFormat: '',
        externalIdClaim: { ...claim, ...change },
      }
      assert.equal((await controller.askAdmin('PUT', `/cas/${id}`, put)).json.error.code, 'INVALID_FIELD')
      const patch = await controller.askAdmin('PATCH', `/cas/${id}`, { externalIdClaim: change })
      assert.equal(patch.json.error.code, 'INVALID_FIELD')
      assert.deepEqual((await get(id)).externalIdClaim, claim)
    })
  }

  const patches: [object, object | undefined][] = [
    [{ externalIdClaim: { index: 5 } }, { ...claim, index: 5 }],
    [{ externalIdClaim: { parserCriteria: ':' } }, { ...claim, parserCriteria: ':' }],
    [{ externalIdClaim: {}, tags: { a: 1 } }, claim],
    [{}, claim],
    [{ externalIdClaim: null, name: null }, claim],
    [{ tags: { a: 1 } }, undefined],
    [{ identityRoles: null }, undefined],
  ]
  for (const [patch, expected] of patches) {
    test(`after PATCH ${JSON.stringify(patch)} is ${expected === undefined ? 'gone' : JSON.stringify(expected)}`, async () => {
      const { id } = await register({ externalIdClaim: claim })
      assert.equal((await controller.askAdmin('PATCH', `/cas/${id}`, patch)).status, 200)
      assert.deepEqual((await get(id)).externalIdClaim, expected)
    })
  }

  test('that is not there is made of the parts that are given, if they are enough', async () => {
    const { id } = await register()
    const patch = (part: object) => controller.askAdmin('PATCH', `/cas/${id}`, { externalIdClaim: part })
    assert.equal((await patch({ index: 1 })).json.error.code, 'INVALID_FIELD')
    assert.equal((await patch({})).status, 200)
    assert.equal((await get(id)).externalIdClaim, undefined)
    const part = { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE' }
    assert.equal((await patch(part)).status, 200)
    const expected = { ...part, matcherCriteria: '', parserCriteria: '', index: 0 }
    assert.deepEqual((await get(id)).externalIdClaim, expected)
  })
})

test('the invitation of a CA is signed and names it; of an unknown one there is none', async () => {
  const { id } = await register({ isAutoCaEnrollmentEnabled: false })
  const { status, text } = await controller.askAdmin('GET', `/cas/${id}/jwt`)
  assert.equal(status, 200)
  const claims = JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString('utf8'))
  assert.deepEqual([claims.em, claims.sub, claims.jti, claims.exp], ['ca', id, id, undefined])
  const unknown = await controller.askAdmin('GET', '/cas/nothing/jwt')
  assert.deepEqual([unknown.status, unknown.text], [404, ''])
})
