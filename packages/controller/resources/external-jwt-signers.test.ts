import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { CertificateAuthority } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { createAuthPolicy, idOf } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const SIGNERS = '/external-jwt-signers'
const JWKS = 'https://idp.example/jwks'

let count = 0

function bodyOf(values: object) {
  const name = `signer ${++count}`
  return { name, issuer: `https://idp.example/${count}`, audience: 'weft', enabled: true, ...values }
}

async function newCertificate() {
  const subject = { commonName: `idp ${++count}` }
  const { certificate } = await CertificateAuthority.createRoot({ subject, trustDomain: 'idp' }, { clock: systemClock })
  return certificate
}

async function create(values: object): Promise<string> {
  return idOf(await controller.askAdmin('POST', SIGNERS, bodyOf(values)))
}

async function get(id: string) {
  return (await controller.askAdmin('GET', `${SIGNERS}/${id}`)).json.data
}

describe('a JWKS endpoint', () => {
  for (const jwksEndpoint of [
    'http://169.254.169.254/jwks',
    'http://[::ffff:169.254.169.254]/jwks',
    'http://2852039166/jwks',
    'http://[fe80::1]/jwks',
    'http://0.0.0.0/jwks',
    'ftp://idp.example/jwks',
    'file:///etc/passwd',
  ]) {
    test(`at ${jwksEndpoint} is refused on create, PUT and PATCH`, async () => {
      const id = await create({ jwksEndpoint: JWKS })
      const answers = [
        await controller.askAdmin('POST', SIGNERS, bodyOf({ jwksEndpoint })),
        await controller.askAdmin('PUT', `${SIGNERS}/${id}`, bodyOf({ jwksEndpoint })),
        await controller.askAdmin('PATCH', `${SIGNERS}/${id}`, { jwksEndpoint }),
      ]
      for (const { status, json } of answers) assert.deepEqual([status, json.error.code], [400, 'INVALID_FIELD'])
      assert.equal((await get(id)).jwksEndpoint, JWKS)
    })
  }
})

describe('the keys of a signer', () => {
  test('come from exactly one place, whatever the verb', async () => {
    const { pem: certPem } = await newCertificate()
    const id = await create({ jwksEndpoint: JWKS })
    const path = `${SIGNERS}/${id}`
    const refused = [
      await controller.askAdmin('POST', SIGNERS, bodyOf({})),
      await controller.askAdmin('POST', SIGNERS, bodyOf({ certPem: '' })),
      await controller.askAdmin('POST', SIGNERS, bodyOf({ certPem, jwksEndpoint: JWKS })),
      await controller.askAdmin('PUT', path, bodyOf({})),
      await controller.askAdmin('PATCH', path, { certPem }),
      await controller.askAdmin('PATCH', path, { certPem, jwksEndpoint: null }),
    ]
    for (const { json } of refused) assert.equal(json.error.code, 'INVALID_FIELD')
    assert.equal((await controller.askAdmin('PUT', path, bodyOf({ certPem }))).status, 200)
    const { jwksEndpoint, certPem: stored } = await get(id)
    assert.deepEqual([jwksEndpoint, stored], [null, certPem])
  })

  test('are described by what follows from the certificate, which no body can say', async () => {
    const certificate = await newCertificate()
    const id = await create({ certPem: certificate.pem, fingerprint: 'chosen', commonName: 'chosen' })
    const forged = { fingerprint: 'chosen', commonName: '', notBefore: '2020-01-01', tags: { a: 1 } }
    assert.equal((await controller.askAdmin('PATCH', `${SIGNERS}/${id}`, forged)).status, 200)
    const { fingerprint, commonName, notAfter } = await get(id)
    assert.deepEqual(
      [fingerprint, commonName, notAfter],
      [certificate.fingerprint, certificate.commonName, new Date(certificate.notAfter).toISOString()],
    )
  })

  test('are one certificate, not several and not something else', async () => {
    const [one, two] = [await newCertificate(), await newCertificate()]
    for (const certPem of ['x', one.pem + two.pem, one.pem.replaceAll('CERTIFICATE', 'PRIVATE KEY')]) {
      const { json } = await controller.askAdmin('POST', SIGNERS, bodyOf({ certPem }))
      assert.equal(json.error.code, 'INVALID_CERT_PEM')
    }
  })
})

test('issuer and audience must say something', async () => {
  for (const values of [{ issuer: '' }, { audience: '' }]) {
    const { status, json } = await controller.askAdmin('POST', SIGNERS, bodyOf({ jwksEndpoint: JWKS, ...values }))
    assert.deepEqual([status, json.error.cause.field], [400, Object.keys(values)[0]])
  }
})

test('where clients are sent to log in is a web page', async () => {
  for (const externalAuthUrl of ['javascript:alert(1)', 'data:text/html,x', 'not a url']) {
    const { status, json } = await controller.askAdmin('POST', SIGNERS, bodyOf({ jwksEndpoint: JWKS, externalAuthUrl }))
    assert.deepEqual([status, json.error.cause.field], [400, 'externalAuthUrl'])
  }
})

test('a signer that an auth policy names is not deleted', async () => {
  const id = await create({ jwksEndpoint: JWKS })
  const remove = () => controller.askAdmin('DELETE', `${SIGNERS}/${id}`)
  const requiring = await createAuthPolicy(controller, { secondary: { requireExtJwtSigner: id } })
  assert.deepEqual((await remove()).json.error.cause, {
    field: 'secondary.requireExtJwtSigner',
    reason: `entity type externalJwtSigner referenced by authPolicy: [${requiring}]`,
    value: `[${requiring}]`,
  })
  const listed = { primary: { extJwt: { allowedSigners: [id] } } }
  assert.equal((await controller.askAdmin('PATCH', `/auth-policies/${requiring}`, listed)).status, 200)
  assert.equal((await remove()).json.error.cause.field, 'primary.extJwt.allowedSigners')
  assert.equal((await controller.askAdmin('DELETE', `/auth-policies/${requiring}`)).status, 200)
  assert.equal((await remove()).status, 200)
})
