import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { parseCertificates, spiffeIdOf } from '@weft/pki'
import { findOne } from '../state/view.ts'
import { enrollOtt, invite, newCsr, newKey } from '../testing/enrolling.ts'
import { TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const { view } = controller.core.kit
const certificatesOf = (identityId: string) => [...view.find('authenticators', 'identityId', identityId)]
const isOpen = (token: string) => findOne(view, 'enrollments', 'token', token) !== undefined

test('an identity gets a certificate for its own key, under its own name only', async () => {
  const { identityId, token } = await invite(controller, { ott: true })
  const key = newKey()
  const csr = newCsr('somebody else', key, ['spiffe://weft/identity/another'])
  const { status, json, contentType } = await enrollOtt(controller, token, csr)
  assert.equal(status, 200)
  assert.equal(contentType, 'application/json')
  const [leaf, ...above] = parseCertificates(json.data.cert)
  assert.deepEqual(leaf!.names.uri, [`spiffe://weft/identity/${identityId}`])
  assert.equal(spiffeIdOf(leaf!)?.kind, 'identity')
  assert.equal(above.length, 1, 'the intermediate comes with it, the root does not')
  const { apiAddresses } = json.data.controllers[0]
  assert.ok('edge-client' in apiAddresses && !('edge-management' in apiAddresses))
  assert.equal('ctrlAddress' in json.data.controllers[0], false)
  const [row] = certificatesOf(identityId)
  assert.partialDeepStrictEqual(row, { certFingerprint: leaf!.fingerprint, isIssuedByNetwork: true, method: 'cert' })
  assert.equal(isOpen(token), false)
})

test('one token enrolls once, also when ten ask at the same time', async () => {
  const { identityId, token } = await invite(controller, { ott: true })
  const answers = await Promise.all(Array.from({ length: 10 }, () => enrollOtt(controller, token, newCsr(identityId))))
  const refused = answers.filter(({ status }) => status !== 200)
  assert.equal(refused.length, 9)
  for (const { status, json } of refused) assert.deepEqual([status, json.error.code], [400, 'INVALID_ENROLLMENT_TOKEN'])
  assert.equal(certificatesOf(identityId).length, 1)
})

describe('a refused attempt does not use up the token', async () => {
  const { identityId, token } = await invite(controller, { ott: true })
  const good = newCsr(identityId)
  const [first, second] = [good.slice(0, 200), good.slice(200)]
  const weak = '-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n'
  for (const [what, path, body, code] of [
    ['no request', 'method=ott', '', 'COULD_NOT_PROCESS_CSR'],
    ['something that is no request', 'method=ott', 'not a request', 'COULD_NOT_PROCESS_CSR'],
    ['an empty request', 'method=ott', weak, 'COULD_NOT_PROCESS_CSR'],
    ['a damaged request', 'method=ott', `${first}AAAA${second.slice(4)}`, 'COULD_NOT_PROCESS_CSR'],
    ['two requests', 'method=ott', good + good, 'COULD_NOT_PROCESS_CSR'],
    [
      'a huge request',
      'method=ott',
      good.replace('-----END', `${'A'.repeat(100_000)}\n-----END`),
      'COULD_NOT_PROCESS_CSR',
    ],
    [
      'a key instead',
      'method=ott',
      '-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n',
      'COULD_NOT_PROCESS_CSR',
    ],
    ['another method', 'method=erott', good, 'INVALID_ENROLL_METHOD'],
    ['an unknown method', 'method=constructor', good, 'INVALID_ENROLL_METHOD'],
  ] as const) {
    test(what, async () => {
      const asked = { method: 'POST', path: `/enroll?${path}&token=${token}`, body, contentType: 'text/plain' } as const
      const { status, json } = await controller.askClient(asked)
      assert.deepEqual([status, json.error.code], [400, code])
      assert.ok(isOpen(token))
    })
  }
  after(async () => assert.equal((await enrollOtt(controller, token, good)).status, 200))
})

for (const token of ['', 'nonsense', '7ee3a648-b1d5-4ea4-b797-1972414543b4', '__proto__']) {
  test(`the token "${token}" enrolls nobody`, async () => {
    const { status, json } = await enrollOtt(controller, token, newCsr('x'))
    assert.deepEqual([status, json.error.code], [400, 'INVALID_ENROLLMENT_TOKEN'])
  })
}

test('an invitation out of its time enrolls nobody, whatever its signed form says; refreshed, under a new token', async () => {
  const { identityId, token } = await invite(controller, { ott: true })
  const enrollment = findOne(view, 'enrollments', 'token', token)!
  const past = new Date(Date.now() - 1).toISOString()
  await controller.write((change) => change.update('enrollments', enrollment.id, { expiresAt: past }))
  const late = await enrollOtt(controller, token, newCsr(identityId))
  assert.deepEqual([late.status, late.json.error.code], [400, 'ENROLLMENT_EXPIRED'])

  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  await controller.askAdmin('POST', `/enrollments/${enrollment.id}/refresh`, { expiresAt })
  const old = await enrollOtt(controller, token, newCsr(identityId))
  assert.deepEqual([old.status, old.json.error.code], [400, 'INVALID_ENROLLMENT_TOKEN'])
  const { token: fresh } = view.get('enrollments', enrollment.id)!
  assert.equal((await enrollOtt(controller, fresh, newCsr(identityId))).status, 200)
})

test('whoever takes PEM only is told that there is none', async () => {
  const { identityId, token } = await invite(controller, { ott: true })
  const path = `/enroll?method=ott&token=${token}`
  const body = newCsr(identityId)
  const headers = { accept: 'application/x-pem-file' }
  const { status, json } = await controller.askClient({
    method: 'POST',
    path,
    body,
    contentType: 'text/plain',
    headers,
  })
  assert.deepEqual([status, json.error.code], [415, 'UNSUPPORTED_MEDIA'])
})

test('a password is chosen for the user name of the invitation, by the rules, and never echoed', async () => {
  const { identityId, token } = await invite(controller, { updb: 'invited-user' })
  const enroll = (body: object) =>
    controller.askClient({ method: 'POST', path: `/enroll?method=updb&token=${token}`, body })
  for (const body of [{}, { password: 'abc!' }, { password: 'x'.repeat(101) }]) {
    const { status, json, text } = await enroll(body)
    assert.deepEqual([status, json.error.cause.field], [400, 'password'])
    if ('password' in body) assert.ok(!text.includes(body.password!))
  }
  const { status, json } = await enroll({ password: 'correct horse', username: 'usurper' })
  assert.deepEqual([status, json.data.username], [200, 'invited-user'])
  assert.equal(certificatesOf(identityId)[0]?.username, 'invited-user')
  assert.equal((await enroll({ password: 'correct horse' })).json.error.code, 'INVALID_ENROLLMENT_TOKEN')
})
