/**
 * Certificates that do not prove what they seem to, wherever a connection's certificate counts: each is refused with the code
 * that peers know, and leaves nothing behind.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { encodePrivateKey, parseLeafCertificate } from '@weft/pki'
import { findOne } from '../state/view.ts'
import { certify, enrolled, invite, newCsr, newKey, registerCa } from '../testing/enrolling.ts'
import { asLeaf, fingerprintOf, hostileCertificates, untimelyCertificates } from '../testing/hostile-certificates.ts'
import { OidcClient } from '../testing/oidc-client.ts'
import { createAuthPolicy, createPasswordUser, idOf } from '../testing/password-user.ts'
import { type Answered, type ClientCertificate, TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const { view } = controller.core.kit
const { signer } = controller.pki

type Certificates = Readonly<Record<string, ClientCertificate | undefined>>

/** The controller's own, which everybody can see and only it can use. */
const { files } = controller.pki
const ownServer = {
  cert: await readFile(files.serverChain, 'utf8'),
  key: await readFile(files.serverKey, 'utf8'),
}

function extent(): readonly number[] {
  const tables = ['identities', 'authenticators', 'apiSessions', 'enrollments', 'revocations'] as const
  return tables.map((table) => [...view.rows(table)].length)
}

async function refusesAll(
  certificates: Certificates,
  ask: (certificate: ClientCertificate | undefined) => Promise<Answered>,
  expected: readonly [status: number, code: string],
): Promise<void> {
  const before = extent()
  for (const [name, certificate] of Object.entries(certificates)) {
    const { status, json, text } = await ask(certificate)
    assert.deepEqual([status, json?.error?.code ?? json?.code ?? json?.error], expected, `${name}: ${text}`)
  }
  assert.deepEqual(extent(), before)
}

/** Written down as the credential of a new identity, past every check: what is refused is then the certificate itself. */
async function credit(certificate: ClientCertificate, authPolicyId = 'default'): Promise<void> {
  const { fingerprint: certFingerprint, pem: certPem } = parseLeafCertificate(certificate.cert)
  await controller.write((change) => {
    if (findOne(change.view, 'authenticators', 'certFingerprint', certFingerprint) !== undefined) return
    const { id } = change.create('identities', { name: certFingerprint, authPolicyId }, { idKind: 'short' })
    const values = { method: 'cert', identityId: id, certFingerprint, certPem, isIssuedByNetwork: true }
    change.create('authenticators', values)
  })
}

const strictPolicy = await createAuthPolicy(controller, {})
await controller.askAdmin('PATCH', `/auth-policies/${strictPolicy}`, {
  primary: { cert: { allowed: true, allowExpiredCerts: false } },
})

const victim = await enrolled(controller)
const [identityUri] = parseLeafCertificate(victim.cert).names.uri
const names = { commonName: victim.identityId, uri: [identityUri!] }
const hostile = await hostileCertificates(signer, names)
const untimely = untimelyCertificates(signer, names)
for (const certificate of [...Object.values(hostile), ownServer]) await credit(certificate)
await credit(untimely['not yet valid'])
await credit(untimely.expired, strictPolicy)

/** Of the network, for clients, and for nobody: only the key differs from the one that is enrolled. */
const mismatched = certify(signer, names.commonName, { uri: names.uri })

describe('a certificate that is not what it seems', () => {
  const all: Certificates = {
    ...hostile,
    ...untimely,
    none: undefined,
    'with the names of another and a key of its own': mismatched,
    'with the certificate of another behind it': { cert: mismatched.cert + victim.cert, key: mismatched.key },
    'of the controller': ownServer,
  }

  for (const api of ['client', 'management'] as const) {
    // The management API of the test is plain HTTP, where no connection has a certificate.
    const certificates = api === 'client' ? all : { none: undefined }
    const asked = { method: 'POST', path: '/authenticate?method=cert', body: {} } as const
    test(`logs nobody in at the ${api} API`, () =>
      refusesAll(
        certificates,
        (certificate) => (api === 'client' ? controller.askClient(asked, certificate) : controller.ask(asked)),
        [401, 'INVALID_AUTH'],
      ))
  }

  test('passes no login of the provider', () =>
    refusesAll(
      all,
      async (certificate) => {
        const client = new OidcClient(controller, 'openziti', certificate)
        const { requestId } = await client.begin()
        return client.post('/login/cert', { id: requestId })
      },
      [401, 'INVALID_AUTH'],
    ))

  test('makes the one it was made after no worse', async () => {
    const path = '/authenticate?method=cert'
    const { status, json } = await controller.askClient({ method: 'POST', path, body: {} }, victim)
    assert.deepEqual([status, json.data.identityId], [200, victim.identityId])
  })
})

describe('a certificate that no third-party CA vouches for', async () => {
  const party = await registerCa(controller)
  const other = await registerCa(controller, { isAutoCaEnrollmentEnabled: false })
  const device = { commonName: 'device' }
  const all: Certificates = {
    ...(await hostileCertificates(party.root, device)),
    ...untimelyCertificates(party.root, device),
    none: undefined,
    'of an authority below': asLeaf(await party.root.createIntermediate({ subject: device })),
    'of a CA that does not let its holders in': other.certify('device'),
    'of the network': victim,
    'of the controller': ownServer,
  }

  test('enrolls nobody by itself', () =>
    refusesAll(all, (certificate) => controller.askClient({ method: 'POST', path: '/enroll?method=ca' }, certificate), [
      400,
      'CERT_FAILED_VALIDATION',
    ]))

  test('enrolls nobody by invitation, and leaves the invitation open', async () => {
    const { token } = await invite(controller, { ottca: party.caId })
    const path = `/enroll?method=ottca&token=${token}`
    const ask = (certificate?: ClientCertificate) =>
      controller.askClient({ method: 'POST', path, contentType: 'text/plain' }, certificate)
    await refusesAll(all, ask, [400, 'CERTIFICATE_FAILED_VALIDATION'])
    assert.equal((await ask(party.certify('device'))).status, 200)
  })
})

describe('a certificate other than the present one', () => {
  test('extends nothing of an identity, whoever has a session', async () => {
    const { id } = findOne(view, 'authenticators', 'identityId', victim.identityId)!
    const token = await controller.loginAs(victim.identityId)
    const path = `/current-identity/authenticators/${id}/extend`
    const body = { clientCertCsr: newCsr('x') }
    const all = { ...hostile, ...untimely, none: undefined, mismatched, 'of the controller': ownServer }
    const ask = (certificate?: ClientCertificate) =>
      controller.askClient({ method: 'POST', path, body, token }, certificate)
    await refusesAll(all, ask, [401, 'UNAUTHORIZED'])
    assert.equal(view.get('authenticators', id)!.unverifiedCertPem, null)
    assert.equal((await ask(victim)).status, 200)
  })

  test('extends nothing of a router', async () => {
    const id = idOf(await controller.askAdmin('POST', '/edge-routers', { name: 'extended' }))
    const { enrollmentToken } = (await controller.askAdmin('GET', `/edge-routers/${id}`)).json.data
    const key = newKey()
    const body = { certCsr: newCsr(id, key), serverCertCsr: newCsr(id) }
    const path = `/enroll?method=erott&token=${enrollmentToken}`
    const { json } = await controller.askClient({ method: 'POST', path, body })
    const present = { cert: json.data.cert as string, key: encodePrivateKey(key) }
    const before = view.get('routers', id)!.fingerprint
    const routerNames = { commonName: id, uri: [`spiffe://weft/router/${id}`] }
    const all = {
      ...(await hostileCertificates(signer, routerNames)),
      ...untimelyCertificates(signer, routerNames),
      none: undefined,
      'of an identity': victim,
      'for the same router, with another key': certify(signer, id, { uri: routerNames.uri }),
      'with that of the router behind it': { cert: victim.cert + present.cert, key: victim.key },
    }
    const ask = (certificate?: ClientCertificate) =>
      controller.askClient({ method: 'POST', path: '/enroll/extend/router', body }, certificate)
    await refusesAll(all, ask, [401, 'UNAUTHORIZED'])
    assert.equal(view.get('routers', id)!.fingerprint, before)
    assert.equal((await ask(present)).status, 200)
  })

  test('does not prove that a token is in the right hands', async () => {
    const holder = new OidcClient(controller, 'openziti', victim)
    const begun = await holder.begin()
    await holder.post('/login/cert', { id: begun.requestId })
    const { json: tokens } = await holder.redeem(await holder.finish(begun))
    const other = await createPasswordUser(controller)
    const sessionKey = newKey()
    const otherSession = await controller.askClient({
      method: 'POST',
      path: '/current-api-session/certificates',
      body: { csr: newCsr('x', sessionKey) },
      token: other.token,
    })
    assert.equal(otherSession.status, 201)
    const all: Certificates = {
      ...hostile,
      ...untimely,
      none: undefined,
      mismatched,
      'of the controller': ownServer,
      'of another session': { cert: otherSession.json.data.certificate, key: encodePrivateKey(sessionKey) },
      'with the right one behind it': { cert: mismatched.cert + victim.cert, key: mismatched.key },
    }
    const as = (certificate: ClientCertificate | undefined) => new OidcClient(controller, 'openziti', certificate)
    await refusesAll(all, (certificate) => as(certificate).asBearer(tokens.access_token), [401, 'UNAUTHORIZED'])
    await refusesAll(all, (certificate) => as(certificate).refresh(tokens.refresh_token), [400, 'access_denied'])
    const exchange = (certificate?: ClientCertificate) =>
      as(certificate).exchange(tokens.refresh_token, 'refresh_token', 'access_token')
    await refusesAll(all, exchange, [400, 'access_denied'])
    assert.equal((await holder.asBearer(tokens.access_token)).status, 200)
    assert.notEqual(fingerprintOf(mismatched), fingerprintOf(victim))
  })
})
