/** What enrollment keeps to, whichever way somebody comes in. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createPki, type KeyKind, loadIdentitySection, parseCertificates, parseLeafCertificate } from '@weft/pki'
import { isSignedBy, readToken } from '../auth/signed-token.ts'
import { systemClock } from '../clock.ts'
import { Invitations } from '../enroll/invitations.ts'
import { enrolled, invite, newCsr, newKey, registerCa } from '../testing/enrolling.ts'
import { OidcClient } from '../testing/oidc-client.ts'
import { createPasswordUser, idOf } from '../testing/password-user.ts'
import { type Answered, TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const { view } = controller.core.kit
const HOUR = 3_600_000

function enroll(method: string, token: string, body?: unknown, certificate?: { cert: string; key: string }) {
  const path = `/enroll?method=${method}&token=${token}`
  const contentType = typeof body === 'string' || body === undefined ? 'text/plain' : 'application/json'
  return controller.askClient({ method: 'POST', path, body, contentType }, certificate)
}

async function invitedRouter(collection: 'edge-routers' | 'transit-routers') {
  const id = idOf(await controller.askAdmin('POST', `/${collection}`, { name: randomUUID() }))
  const { enrollmentToken: token } = (await controller.askAdmin('GET', `/${collection}/${id}`)).json.data
  return { id, token: token as string }
}

const refusal = ({ status, json }: Answered) => [status, json.error.code]

describe('an invitation is signed by the certificate that clients meet', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'weft-invitations-'))
  after(() => rm(directory, { recursive: true, force: true }))
  const pkiFor = (host: string, keyKind: KeyKind) =>
    createPki({
      directory: join(directory, `${host}-${keyKind}`),
      trustDomain: 'weft',
      controllerId: 'controller',
      hosts: [host],
      clock: systemClock,
      keyKind,
    })

  for (const keyKind of ['RSA-2048', 'P-256', 'P-384'] as const) {
    test(`be it the first or an alternative one, with a key of the kind ${keyKind}`, async () => {
      const [first, other] = [await pkiFor('first.example', 'P-256'), await pkiFor('other.example', keyKind)]
      const { clientChain, clientKey, serverChain, serverKey, caBundle } = first.files
      const { identity } = await loadIdentitySection(
        {
          cert: clientChain,
          key: clientKey,
          server_cert: serverChain,
          server_key: serverKey,
          ca: caBundle,
          alt_server_certs: [{ server_cert: other.files.serverChain, server_key: other.files.serverKey }],
        },
        { baseDirectory: directory, clock: systemClock },
      )
      for (const [host, { server }] of [
        ['first.example', first],
        ['other.example', other],
      ] as const) {
        const durations = { identityDuration: HOUR, routerDuration: HOUR }
        const apiAddress = `${host}:1280`
        const invitations = new Invitations({ identity: identity!, apiAddress, controllerAddresses: [], ...durations })
        const invitation = {
          method: 'ott',
          subjectId: 'somebody',
          token: randomUUID(),
          expiresAt: Date.now() + HOUR,
        } as const
        for (const jwt of [invitations.invite(invitation), invitations.networkToken()]) {
          const token = readToken(jwt)!
          assert.ok(isSignedBy(token, server.certificate.publicKey), host)
          assert.equal(new URL(String(token.claims['iss'])).host, apiAddress)
          assert.equal(token.keyId, server.certificate.fingerprint)
        }
      }
    })
  }
})

describe('an invitation out of its time', async () => {
  const party = await registerCa(controller)
  const edge = await invitedRouter('edge-routers')
  const transit = await invitedRouter('transit-routers')
  const csrs = (id: string) => ({ certCsr: newCsr(id), serverCertCsr: newCsr(id) })
  const cases = {
    ott: { token: (await invite(controller, { ott: true })).token, body: newCsr('x') },
    ottca: { token: (await invite(controller, { ottca: party.caId })).token, certificate: party.certify('x') },
    updb: { token: (await invite(controller, { updb: 'late-user' })).token, body: { password: 'correct horse' } },
    erott: { token: edge.token, body: csrs(edge.id) },
    trott: { token: transit.token, body: csrs(transit.id) },
  }
  await controller.write((change) => {
    for (const { id } of [...change.view.rows('enrollments')]) {
      change.update('enrollments', id, { expiresAt: change.now })
    }
  })
  for (const [method, asked] of Object.entries(cases)) {
    test(`enrolls nobody by ${method}`, async () => {
      const { token, body, certificate } = { body: undefined, certificate: undefined, ...asked }
      assert.deepEqual(refusal(await enroll(method, token, body, certificate)), [400, 'ENROLLMENT_EXPIRED'])
    })
  }
})

test('invitations of routers last as long as their own setting says', async () => {
  const { token } = await invite(controller, { ott: true })
  const lasts = (of: string) => {
    const { expiresAt, createdAt } = [...view.rows('enrollments')].find((row) => row.token === of)!
    return Math.round((Date.parse(expiresAt!) - Date.parse(createdAt)) / HOUR)
  }
  assert.deepEqual([lasts(token), lasts((await invitedRouter('edge-routers')).token)], [1, 2])
})

describe('certificates come', () => {
  test('with those between them and a root, wherever they are given', async () => {
    const router = await invitedRouter('edge-routers')
    const asked = { certCsr: newCsr(router.id), serverCertCsr: newCsr(router.id) }
    const { json: ofRouter } = await enroll('erott', router.token, asked)
    const holder = await enrolled(controller)
    const token = await controller.loginAs(holder.identityId)
    const { id } = view.find('authenticators', 'identityId', holder.identityId).toArray()[0]!
    const extension = { path: `/current-identity/authenticators/${id}/extend`, body: { clientCertCsr: newCsr('x') } }
    const { json: extended } = await controller.askClient({ method: 'POST', token, ...extension }, holder)
    const certificates = { path: '/current-api-session/certificates', body: { csr: newCsr('x') } }
    const { json: ofSession } = await controller.askClient({ method: 'POST', token, ...certificates })
    const user = await createPasswordUser(controller)
    const { session_cert: bound } = await new OidcClient(controller).tokens(user, { csrPem: newCsr('x') })
    for (const [what, pem] of Object.entries({
      'an identity': holder.cert,
      'a router that dials': ofRouter.data.cert,
      'a router that listens': ofRouter.data.serverCert,
      'an extension': extended.data.clientCert,
      'a session': ofSession.data.certificate,
      'a session of tokens': bound,
    })) {
      const [leaf, above] = parseCertificates(pem)
      assert.ok(above?.equals(controller.pki.signer.certificate), what)
      assert.ok(leaf!.x509.verify(above!.publicKey), what)
    }
  })

  test('with serial numbers that nobody can foresee, positive and no longer than they may be', async () => {
    const serials = new Set<string>()
    for (let count = 0; count < 8; count++) {
      const { serialNumber } = parseLeafCertificate((await enrolled(controller)).cert).x509
      assert.match(serialNumber, /^[0-9A-F]+$/)
      // Hex without the leading zeros: 20 octets, the first below 0x80, and far from a counter.
      assert.ok(serialNumber.length <= 40 && serialNumber.length >= 16, serialNumber)
      assert.ok(serialNumber.length < 40 || Number.parseInt(serialNumber[0]!, 16) < 8, serialNumber)
      serials.add(serialNumber)
    }
    assert.equal(serials.size, 8)
  })

  test('under the names that the network gives, whatever a request asks for', async () => {
    const uri = ['spiffe://weft/identity/victim', 'spiffe://weft/router/victim', 'spiffe://weft/controller/controller']
    const { identityId, token } = await invite(controller, { ott: true })
    const { json } = await enroll('ott', token, newCsr('victim', newKey(), uri))
    assert.deepEqual(parseLeafCertificate(json.data.cert).names, {
      dns: [],
      email: [],
      ip: [],
      uri: [`spiffe://weft/identity/${identityId}`],
    })
  })
})

test('who enrolls is told the same, whether a user name is known or not', async () => {
  const { username } = await createPasswordUser(controller)
  const body = (name: string) => ({ username: name, password: 'correct horse' })
  const answers = [
    await enroll('updb', randomUUID(), body(username)),
    await enroll('updb', randomUUID(), body('nobody-at-all')),
  ].map(({ status, json }) => [status, json.error.code, json.error.cause])
  assert.deepEqual(answers[0], answers[1])
  const { token } = await invite(controller, { updb: 'invited-name' })
  const { json } = await enroll('updb', token, body(username))
  assert.equal(json.data.username, 'invited-name', 'the invitation says which')
})

test('whether a CA lets its holders in is asked with every request', async () => {
  const party = await registerCa(controller)
  const knock = () => controller.askClient({ method: 'POST', path: '/enroll?method=ca' }, party.certify(randomUUID()))
  assert.equal((await knock()).status, 200)
  for (const closed of [{ isAutoCaEnrollmentEnabled: false }, { isVerified: false }]) {
    await controller.write((change) => change.update('cas', party.caId, closed))
    assert.deepEqual(refusal(await knock()), [400, 'CERT_FAILED_VALIDATION'])
    await controller.write((change) =>
      change.update('cas', party.caId, { isAutoCaEnrollmentEnabled: true, isVerified: true }),
    )
    assert.equal((await knock()).status, 200)
  }
})

describe('what is wrong with an enrollment is the mistake of who asks', () => {
  const cases: Readonly<Record<string, () => Promise<Answered>>> = {
    'no password': async () => enroll('updb', (await invite(controller, { updb: randomUUID() })).token, {}),
    'a user name that is taken': async () => {
      const { username } = await createPasswordUser(controller)
      return enroll('updb', (await invite(controller, { updb: username })).token, { password: 'correct horse' })
    },
    'no certificate': () => controller.askClient({ method: 'POST', path: '/enroll/ca', body: {} }),
    'a request that is none': async () => enroll('ott', (await invite(controller, { ott: true })).token, 'junk'),
    'no method there is': () => enroll('junk', randomUUID(), 'junk'),
    'no request at all': async () => enroll('ott', (await invite(controller, { ott: true })).token),
  }
  for (const [what, ask] of Object.entries(cases)) {
    test(what, async () => {
      const { status, text } = await ask()
      assert.ok(status >= 400 && status < 500, `${status} ${text}`)
    })
  }
})

test('an enrollment is answered as JSON without further words, which some clients compare', async () => {
  const { token } = await invite(controller, { ott: true })
  assert.equal((await enroll('ott', token, newCsr('x'))).contentType, 'application/json')
  assert.equal((await enroll('ott', token, newCsr('x'))).contentType, 'application/json', 'a refusal too')
})
