import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseCertificateRequest } from '../certificate-request.ts'
import { parseCertificates } from '../certificates.ts'
import { clientApisOf, loadIdentityFile, parseIdentityFile, writeIdentityFile } from '../identity-file.ts'
import { encodePrivateKey, generatePrivateKey, parsePrivateKey } from '../keys.ts'
import { spiffeIdOf } from '../spiffe.ts'
import { type EnrollmentServer, type Intercept, send, startEnrollmentServer } from '../testing/enrollment-server.ts'
import { makeNetwork } from '../testing/network.ts'
import { temporaryDirectory } from '../testing/openssl.ts'
import type { EnrollError } from './enroll-error.ts'
import { type EnrollIdentityOptions, enrollIdentity } from './enroll-identity.ts'

let server: EnrollmentServer
let intercept: Intercept | undefined
let controllers: unknown = []

before(async () => {
  server = await startEnrollmentServer({
    get controllers() {
      return controllers
    },
    intercept: (asked, response) => intercept?.(asked, response),
  })
})

after(() => server[Symbol.asyncDispose]())

const pemOf = (source: string | undefined) => source!.replace(/^pem:/, '')

/** Enrolls with the answer to the enroll operation replaced. */
async function withAnswer(status: number, body: object | string, jwt: string, options: EnrollIdentityOptions = {}) {
  intercept = (asked, response) => {
    if (!asked.path.includes('/enroll')) return undefined
    if (typeof body === 'string') return response.writeHead(status).end(body)
    return send(response, status, body) ?? 'answered'
  }
  try {
    return await enrollIdentity(jwt, options)
  } finally {
    intercept = undefined
  }
}

test('ott: makes a key, has it certified, and the file holds all that a program needs', async () => {
  using home = temporaryDirectory()
  const { method, file, username } = await enrollIdentity(server.invitation('ott'))
  assert.deepEqual([method, username], ['ott', undefined])
  assert.equal(file.ztAPI, `https://${server.address}/edge/client/v1`)
  assert.equal(file.ztAPIs, null)

  const asked = server.asked.at(-1)!
  assert.equal(asked.headers['content-type'], 'application/x-pem-file')
  assert.deepEqual(asked.query, { method: 'ott', token: '4f1c2c0e-7a5e-4a0f-9a3e-0d6b2f3f7c11' })
  assert.equal(parseCertificateRequest(asked.body).commonName, 'K7cQ0bYVz')

  const path = `${home.path}/id.json`
  await writeIdentityFile(path, file)
  const { identity, problems, warnings } = await loadIdentityFile(path, { clock: Date })
  assert.deepEqual([problems, warnings], [[], []])
  assert.equal(spiffeIdOf(identity!.client!.certificate)?.kind, 'identity')
  assert.equal(identity!.client!.chain.length, 2)
  assert.equal(identity!.caPem, server.authorities.pem)
})

test('ott: takes the kind of key, or the very key, that the caller wants', async () => {
  const rsa = await enrollIdentity(server.invitation('ott'), { keyKind: 'RSA-2048' })
  assert.equal(parsePrivateKey(pemOf(rsa.file.id.key)).asymmetricKeyType, 'rsa')
  const key = await generatePrivateKey('P-384')
  const own = await enrollIdentity(server.invitation('ott'), { key })
  assert.equal(pemOf(own.file.id.key), encodePrivateKey(key))
})

test('ottca and ca: present the certificate that is there, and the file holds it or says where it is', async () => {
  const partner = await makeNetwork('partner.example', Date)
  const { chainPem: certPem } = partner.intermediate.issueClientCertificate({
    subject: { commonName: 'device-1' },
    publicKey: partner.publicKey,
  })
  const certificate = { certPem, keyPem: encodePrivateKey(partner.key) }

  const ottca = await enrollIdentity(server.invitation('ottca'), { certificate })
  const first = server.asked.at(-1)!
  assert.deepEqual([first.presented, first.body, first.query['method']], ['CN=device-1', '', 'ottca'])
  assert.equal(first.query['token'], '4f1c2c0e-7a5e-4a0f-9a3e-0d6b2f3f7c11')
  assert.deepEqual([pemOf(ottca.file.id.cert), pemOf(ottca.file.id.key)], [certPem, certificate.keyPem])

  const sources = { cert: 'file:///etc/weft/c.pem', key: 'file:///etc/weft/k.pem' }
  const options = { certificate: { ...certificate, sources }, name: 'my name' }
  const ca = await enrollIdentity(server.caToken(), options)
  const second = server.asked.at(-1)!
  assert.deepEqual(
    [second.presented, second.body, second.query],
    ['CN=device-1', '{"name":"my name"}', { method: 'ca' }],
  )
  assert.deepEqual([ca.file.id.cert, ca.file.id.key], [sources.cert, sources.key])

  await enrollIdentity(server.caToken(), { certificate })
  const { body, headers } = server.asked.at(-1)!
  assert.deepEqual([body, headers['content-type'], headers['content-length']], ['', undefined, '0'])
})

test('updb: sets the password and learns the user name; the file has neither key nor password', async () => {
  const { file, username } = await enrollIdentity(server.invitation('updb'), { password: 'correct horse' })
  assert.equal(username, 'alice')
  assert.equal(server.asked.at(-1)!.body, '{"password":"correct horse"}')
  assert.deepEqual(Object.keys(file.id), ['ca'])
  assert.ok(!JSON.stringify(file).includes('correct horse'))
})

test('network: learns whom to trust, and asks for nothing else', async () => {
  const { file } = await enrollIdentity(server.networkToken())
  assert.deepEqual(Object.keys(file.id), ['ca'])
  assert.equal(file.ztAPI, `https://${server.address}/edge/client/v1`)
  assert.match(server.asked.at(-1)!.path, /cacerts$/)
})

test('an identity provider: to a certificate, and to its own tokens', async () => {
  const external = { token: 'aa.bb.cc', credential: 'certificate' } as const
  const certified = await enrollIdentity(server.networkToken(), { external })
  const first = server.asked.at(-1)!
  assert.equal(first.path, '/edge/client/v1/enroll/token')
  assert.deepEqual([first.headers.authorization, first.headers['ziti-token-issuer-id']], ['Bearer aa.bb.cc', undefined])
  assert.equal(parseCertificates(pemOf(certified.file.id.cert)).length, 2)

  const toToken = { ...external, signerId: 'signer-1', credential: 'token' } as const
  const bare = await enrollIdentity(server.networkToken(), { external: toToken })
  const second = server.asked.at(-1)!
  assert.deepEqual([second.body, second.headers['ziti-token-issuer-id']], ['{}', 'signer-1'])
  assert.deepEqual(Object.keys(bare.file.id), ['ca'])
})

test('several controllers stand in the file, those without a Client API do not', async () => {
  const controller = (...urls: unknown[]) => ({ apiAddresses: { 'edge-client': urls.map((url) => ({ url })) } })
  const api = (host: string) => `https://${host}.example:1280/edge/client/v1`
  controllers = [
    controller(api('one'), api('one-too')),
    controller(api('two')),
    controller('http://three.example/edge/client/v1', 5, api('three')),
    controller('https://four.example/other'),
    { apiAddresses: { 'edge-client': 'x' } },
    { apiAddresses: null },
    'five',
  ]
  try {
    const { file } = await enrollIdentity(server.invitation('ott'))
    assert.deepEqual(file.ztAPIs, [api('one'), api('two'), api('three')])
    assert.deepEqual(clientApisOf(parseIdentityFile(JSON.stringify(file))), file.ztAPIs)
    controllers = [controller(api('one'))]
    assert.equal((await enrollIdentity(server.invitation('ott'))).file.ztAPIs, null)
  } finally {
    controllers = []
  }
})

test('a token that someone else has signed goes no further than the first handshake', async () => {
  await using stranger = await startEnrollmentServer()
  const asked = server.asked.length
  const forged = stranger.invitation('ott', { address: server.address })
  await assert.rejects(enrollIdentity(forged), { code: 'WRONG_SIGNER' })
  assert.equal(server.asked.length, asked)
})

test('a token out of its time is refused before the controller is asked', async () => {
  const asked = server.asked.length
  const late = server.invitation('ott', { expiresAt: Date.now() - 120_000 })
  await assert.rejects(enrollIdentity(late), { code: 'TOKEN_EXPIRED' })
  assert.equal(server.asked.length, asked)
  const clock = { now: () => Date.now() - 100_000 }
  assert.equal((await enrollIdentity(late, {}, { clock })).method, 'ott')
})

test('what a method needs is missed before the controller is asked to enroll', async () => {
  const { length } = server.asked
  await assert.rejects(enrollIdentity(server.invitation('updb')), { code: 'MISSING_INPUT', message: /a password/ })
  await assert.rejects(enrollIdentity(server.invitation('ottca')), { code: 'MISSING_INPUT' })
  await assert.rejects(enrollIdentity(server.caToken()), { code: 'MISSING_INPUT' })
  const external = { token: 'a\r\nx: y', credential: 'token' } as const
  await assert.rejects(enrollIdentity(server.networkToken(), { external }), { code: 'MISSING_INPUT' })
  await assert.rejects(enrollIdentity(server.invitation('erott')), { code: 'UNKNOWN_METHOD' })
  assert.ok(server.asked.slice(length).every(({ path }) => !path.includes('/enroll')))
})

test('a refusal is handed on: status, code, words, and when to try again', async () => {
  const error = {
    code: 'COULD_NOT_PROCESS_CSR',
    message: 'The csr\u001b[31m could not be processed',
    cause: { message: 'invalid client CSR' },
  }
  const jwt = server.invitation('ott')
  await assert.rejects(withAnswer(400, { error, meta: {} }, jwt), (thrown: EnrollError) => {
    assert.equal(thrown.code, 'REFUSED')
    assert.deepEqual(thrown.refusal, {
      status: 400,
      code: 'COULD_NOT_PROCESS_CSR',
      message: 'The csr [31m could not be processed: invalid client CSR',
      retryAfter: undefined,
    })
    return true
  })
  intercept = (asked, response) => {
    if (!asked.path.includes('/enroll')) return undefined
    return response.writeHead(429, { 'retry-after': '5' }).end('busy')
  }
  try {
    await assert.rejects(enrollIdentity(jwt), (thrown: EnrollError) => {
      assert.match(thrown.message, /the controller refused: status 429$/)
      assert.equal(thrown.refusal!.retryAfter, 5_000)
      return true
    })
  } finally {
    intercept = undefined
  }
})

test('an answer that cannot be used is refused, and never stored', async () => {
  const jwt = server.invitation('ott')
  const { certificate } = server.network.intermediate.issueClientCertificate({
    subject: { commonName: 'K7cQ0bYVz' },
    publicKey: server.network.publicKey,
  })
  for (const [body, why] of [
    ['<html>', /holds no data/],
    [{}, /holds no data/],
    [{ data: [] }, /holds no data/],
    [{ data: {} }, /"cert" is missing/],
    [{ data: { cert: 5 } }, /"cert" is missing/],
    [{ data: { cert: 'junk' } }, /"cert": the input is not PEM/],
    [{ data: { cert: certificate.pem } }, /"cert" is for another key/],
    [{ data: { cert: certificate.pem.repeat(600) } }, /"cert": the input holds more PEM blocks/],
  ] as const) {
    await assert.rejects(withAnswer(200, body, jwt), { code: 'BAD_ANSWER', message: why })
  }
})

test('a trust bundle that cannot be read ends the enrollment before the token is used', async () => {
  for (const [status, body, code] of [
    [200, 'junk', 'BAD_ANSWER'],
    [200, '', 'BAD_ANSWER'],
    [404, '{"error":{"code":"NOT_FOUND"}}', 'REFUSED'],
  ] as const) {
    intercept = (asked, response) => {
      assert.ok(!asked.path.includes('/enroll'))
      return response.writeHead(status).end(body)
    }
    try {
      await assert.rejects(enrollIdentity(server.invitation('ott')), { code })
    } finally {
      intercept = undefined
    }
  }
})

for (const serverKeyKind of ['P-384', 'RSA-2048'] as const) {
  test(`a controller with a server key of kind ${serverKeyKind} is recognised`, async () => {
    await using other = await startEnrollmentServer({ serverKeyKind })
    assert.equal((await enrollIdentity(other.invitation('ott'))).method, 'ott')
  })
}
