import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parseCertificateRequest } from '../certificate-request.ts'
import { loadIdentitySection } from '../identity-section.ts'
import { encodePrivateKey, generatePrivateKey } from '../keys.ts'
import { type EnrollmentServer, type Intercept, send, startEnrollmentServer } from '../testing/enrollment-server.ts'
import { temporaryDirectory } from '../testing/openssl.ts'
import { enrollRouter, writeRouterIdentity } from './enroll-router.ts'

let server: EnrollmentServer
let intercept: Intercept | undefined

before(async () => {
  server = await startEnrollmentServer({ intercept: (asked, response) => intercept?.(asked, response) })
})

after(() => server[Symbol.asyncDispose]())

const names = { dns: ['er1.weft.example'], ip: ['127.0.0.1'], email: [], uri: [] }
const subject = { country: 'US', organization: 'Example' }

for (const method of ['erott', 'trott'] as const) {
  test(`${method}: one key, two certificates, the authorities, and where the controllers are`, async () => {
    const router = await enrollRouter(server.invitation(method, { subjectId: '.Ifrmjv5a' }), { subject, names })
    assert.equal(router.routerId, '.Ifrmjv5a')
    assert.deepEqual(router.controllerAddresses, ['tls:127.0.0.1:6262'])
    assert.deepEqual([router.clientChain.length, router.serverChain.length, router.authorities.length], [2, 2, 2])
    assert.ok(router.serverChain[0]!.coversHost('er1.weft.example'))
    const asked = server.asked.at(-1)!
    assert.equal(asked.query['method'], method)
    const { certCsr, serverCertCsr } = JSON.parse(asked.body) as Record<string, string>
    for (const csr of [certCsr, serverCertCsr]) {
      const request = parseCertificateRequest(csr!)
      assert.equal(request.commonName, '.Ifrmjv5a')
      assert.deepEqual(request.names, names)
    }
  })
}

test('the files it writes load as the identity section of a router', async () => {
  using home = temporaryDirectory()
  const key = await generatePrivateKey('P-384')
  const router = await enrollRouter(server.invitation('erott'), { key, names })
  const at = (name: string) => join(home.path, name)
  const files = { key: at('r.key'), cert: at('r.cert'), serverCert: at('r.server.chain.cert'), ca: at('r.cas') }
  await writeRouterIdentity(files, router)
  assert.equal(statSync(files.key).mode & 0o777, 0o600)
  const section = { cert: files.cert, server_cert: files.serverCert, key: files.key, ca: files.ca }
  const { identity, problems, warnings } = await loadIdentitySection(section, { baseDirectory: home.path, clock: Date })
  assert.deepEqual([problems, warnings], [[], []])
  assert.equal(identity!.client!.keyPem, encodePrivateKey(key))
  assert.equal(identity!.servers.length, 1)
})

test('a token that enrolls no router is refused unused', async () => {
  const asked = server.asked.length
  for (const token of [server.invitation('ott'), server.caToken(), server.networkToken()]) {
    await assert.rejects(enrollRouter(token), { code: 'UNKNOWN_METHOD' })
  }
  assert.equal(server.asked.length, asked)
})

test('all three parts of the answer must be there and fit', async () => {
  const { chainPem, certificate } = server.network.intermediate.issueClientCertificate({
    subject: { commonName: 'r' },
    publicKey: server.network.publicKey,
  })
  const { key } = server.network
  const whole = { cert: chainPem, serverCert: chainPem, ca: server.authorities.pem }
  for (const [data, why] of [
    [{ ...whole, cert: undefined }, /"cert" is missing/],
    [{ ...whole, serverCert: '' }, /"serverCert": the input is not PEM/],
    [{ ...whole, ca: undefined }, /"ca" is missing/],
    [{ ...whole, ca: certificate.pem }, /"ca" names no authority/],
    [{ ...whole, serverCert: server.authorities.pem }, /"serverCert" is for another key/],
  ] as const) {
    intercept = (_asked, response) => send(response, 200, { data }) ?? 'answered'
    try {
      await assert.rejects(enrollRouter(server.invitation('erott'), { key }), { code: 'BAD_ANSWER', message: why })
    } finally {
      intercept = undefined
    }
  }
})
