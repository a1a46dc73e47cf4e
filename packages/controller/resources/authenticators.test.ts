import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { CertificateAuthority, generatePrivateKey, publicKeyOf } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { createAuthPolicy, createPasswordUser, idOf, login } from '../testing/password-user.ts'
import { type Answered, TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

let count = 0

async function newIdentity(values: object = {}): Promise<string> {
  const body = { name: `identity ${++count}`, type: 'Default', isAdmin: false, ...values }
  return idOf(await controller.askAdmin('POST', '/identities', body))
}

function create(body: object): Promise<Answered> {
  return controller.askAdmin('POST', '/authenticators', body)
}

const strangers = await CertificateAuthority.createRoot(
  { subject: { commonName: 'strangers' }, trustDomain: 'elsewhere' },
  { clock: systemClock },
)
const publicKey = publicKeyOf(await generatePrivateKey('P-256'))

function issuedBy(authority: CertificateAuthority, commonName = 'somebody') {
  return authority.issueClientCertificate({ subject: { commonName }, publicKey })
}

describe('a password', () => {
  for (const [what, body, field] of [
    ['too short', { username: 'username', password: 'abcd' }, 'password'],
    ['too long', { username: 'username', password: 'a'.repeat(101) }, 'password'],
    ['missing', { username: 'username' }, 'password'],
    ['for a short user name', { username: 'abc', password: 'secret-word' }, 'username'],
    ['without a user name', { password: 'secret-word' }, 'username'],
  ] as const) {
    test(`${what} is refused and not repeated`, async () => {
      const { status, json, text } = await create({ identityId: await newIdentity(), method: 'updb', ...body })
      assert.equal(status, 400)
      assert.equal(json.error.cause.field, field)
      if ('password' in body) assert.ok(!text.includes(body.password))
    })
  }

  test('must obey the auth policy when it is created and when it is changed', async () => {
    const authPolicyId = await createAuthPolicy(controller, { updb: { minPasswordLength: 10, requireMixedCase: true } })
    const identityId = await newIdentity({ authPolicyId })
    const weak = { identityId, method: 'updb', username: 'strictly', password: 'lower case only' }
    assert.equal((await create(weak)).status, 400)
    const id = idOf(await create({ ...weak, password: 'Mixed Case Words' }))
    for (const method of ['PUT', 'PATCH'] as const) {
      const { status, json } = await controller.askAdmin(method, `/authenticators/${id}`, weak)
      assert.equal(status, 400)
      assert.equal(json.error.cause.field, 'password')
    }
    assert.equal((await login(controller, 'strictly', 'Mixed Case Words')).status, 200)
  })

  test('under a name that is taken is refused on create and on change', async () => {
    const [user, other] = [await createPasswordUser(controller), await createPasswordUser(controller)]
    const taken = { username: user.username, password: 'correct horse' }
    const onCreate = await create({ ...taken, identityId: await newIdentity(), method: 'updb' })
    assert.equal(onCreate.json.error.cause.field, 'updbUsername')
    for (const method of ['PUT', 'PATCH'] as const) {
      assert.equal((await controller.askAdmin(method, `/authenticators/${other.authenticatorId}`, taken)).status, 400)
    }
  })

  test('is the only one of its identity, and not for routers', async () => {
    const user = await createPasswordUser(controller)
    const second = await create({
      identityId: user.identityId,
      method: 'updb',
      username: 'second',
      password: 'correct horse',
    })
    assert.equal(second.json.error.code, 'MAX_AUTHENTICATOR_METHODS_REACHED')
    const router = { name: 'tunneler', isTunnelerEnabled: true }
    const identityId = idOf(await controller.askAdmin('POST', '/edge-routers', router))
    const ofRouter = await create({ identityId, method: 'updb', username: 'router', password: 'correct horse' })
    assert.equal(ofRouter.json.error.cause.field, 'identityId')
  })

  test('cannot be told by a body that names the hash', async () => {
    const user = await createPasswordUser(controller)
    const path = `/authenticators/${user.authenticatorId}`
    const forged = { passwordHash: '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA', identityId: 'x' }
    assert.equal((await controller.askAdmin('PATCH', path, { ...forged, tags: { a: 1 } })).status, 200)
    assert.equal((await login(controller, user.username, user.password)).status, 200)
  })

  test('takes its sessions with it when it is deleted', async () => {
    const user = await createPasswordUser(controller)
    assert.equal((await controller.askAdmin('DELETE', `/authenticators/${user.authenticatorId}`)).status, 200)
    assert.equal((await controller.ask({ path: '/current-identity', token: user.token })).status, 401)
  })

  test('cannot be extended', async () => {
    const { authenticatorId } = await createPasswordUser(controller)
    const path = `/authenticators/${authenticatorId}/request-extend`
    const { status, json } = await controller.askAdmin('POST', path, { rollKeys: true })
    assert.deepEqual([status, json.error.code], [403, 'UNAUTHORIZED'])
  })
})

describe('a certificate', () => {
  test('that the network has issued is accepted once', async () => {
    const { certificate } = issuedBy(controller.pki.signer)
    const identityId = await newIdentity()
    const id = idOf(await create({ identityId, method: 'cert', certPem: certificate.pem }))
    const { data } = (await controller.askAdmin('GET', `/authenticators/${id}`)).json
    assert.equal(data.fingerprint, certificate.fingerprint)
    assert.equal(data.isIssuedByNetwork, undefined)
    const second = await create({ identityId, method: 'cert', certPem: certificate.pem })
    assert.equal(second.json.error.code, 'MAX_AUTHENTICATOR_METHODS_REACHED')
    const other = await create({ identityId: await newIdentity(), method: 'cert', certPem: certificate.pem })
    assert.equal(other.json.error.cause.field, 'certFingerprint')
  })

  test('of a third party is accepted once its CA is verified, and re-enrolls through it', async () => {
    const body = { identityId: await newIdentity(), method: 'cert', certPem: issuedBy(strangers).certificate.pem }
    assert.equal((await create(body)).json.error.code, 'CERTIFICATE_FAILED_VALIDATION')
    const switches = { isAuthEnabled: true, isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: true }
    const ca = { name: 'strangers', certPem: strangers.certificate.pem, identityRoles: [], ...switches }
    const caId = idOf(await controller.askAdmin('POST', '/cas', ca))
    assert.equal((await create(body)).json.error.code, 'CERTIFICATE_FAILED_VALIDATION')
    await controller.write((change) => change.update('cas', caId, { isVerified: true }))
    const id = idOf(await create(body))
    const enrollment = idOf(await controller.askAdmin('POST', `/authenticators/${id}/re-enroll`, tomorrow()))
    const { data } = (await controller.askAdmin('GET', `/enrollments/${enrollment}`)).json
    assert.deepEqual([data.method, data.caId], ['ottca', caId])
  })

  test('must come alone and whole', async () => {
    const { chainPem, certificate } = issuedBy(controller.pki.signer)
    const identityId = await newIdentity()
    for (const certPem of [chainPem, 'x', certificate.pem.replace('END', 'FIN'), certificate.pem.slice(0, 200)]) {
      const { json } = await create({ identityId, method: 'cert', certPem })
      assert.equal(json.error.code, 'COULD_NOT_PARSE_PEM_BLOCK')
    }
  })

  test('cannot be given a password, and says when it should be renewed', async () => {
    const certPem = issuedBy(controller.pki.signer).certificate.pem
    const path = `/authenticators/${idOf(await create({ identityId: await newIdentity(), method: 'cert', certPem }))}`
    const password = { username: 'smuggled', password: 'correct horse' }
    for (const method of ['PUT', 'PATCH'] as const) {
      assert.equal((await controller.askAdmin(method, path, password)).json.error.code, 'CAN_NOT_UPDATE_AUTHENTICATOR')
    }
    assert.equal((await controller.askAdmin('POST', `${path}/request-extend`, { rollKeys: true })).status, 200)
    assert.equal((await controller.askAdmin('GET', path)).json.data.isExtendRequested, undefined)
    await controller.write((change) =>
      change.update('authenticators', path.split('/')[2]!, { isIssuedByNetwork: true }),
    )
    const { data } = (await controller.askAdmin('GET', path)).json
    assert.deepEqual([data.isExtendRequested, data.isKeyRollRequested], [true, true])
  })
})

describe('enrolling again', () => {
  test('replaces a password by an invitation for the same user name', async () => {
    const user = await createPasswordUser(controller)
    const path = `/authenticators/${user.authenticatorId}`
    const enrollment = idOf(await controller.askAdmin('POST', `${path}/re-enroll`, tomorrow()))
    assert.equal((await controller.askAdmin('GET', path)).status, 404)
    assert.equal((await login(controller, user.username, user.password)).status, 401)
    const row = controller.core.kit.view.get('enrollments', enrollment)
    assert.deepEqual([row?.method, row?.username], ['updb', user.username])
  })

  test('in the past, or beside an open invitation of the same kind, changes nothing', async () => {
    const user = await createPasswordUser(controller)
    const path = `/authenticators/${user.authenticatorId}`
    const past = { expiresAt: new Date(Date.now() - 1_000).toISOString() }
    assert.equal((await controller.askAdmin('POST', `${path}/re-enroll`, past)).json.error.code, 'INVALID_FIELD')
    const open = { identityId: user.identityId, method: 'updb', username: 'another', ...tomorrow() }
    idOf(await controller.askAdmin('POST', '/enrollments', open))
    const second = await controller.askAdmin('POST', `${path}/re-enroll`, tomorrow())
    assert.equal(second.json.error.code, 'ENROLLMENT_EXISTS')
    assert.equal((await login(controller, user.username, user.password)).status, 200)
  })
})

function tomorrow() {
  return { expiresAt: new Date(Date.now() + 86_400_000).toISOString() }
}
