import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { parseLeafCertificate } from '@weft/pki'
import { findOne } from '../state/view.ts'
import { certify, invite, registerCa } from '../testing/enrolling.ts'
import { type ClientCertificate, TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const { view } = controller.core.kit

/** Enrolls by certificate alone. */
function join(certificate?: ClientCertificate, body?: object) {
  return controller.askClient({ method: 'POST', path: '/enroll?method=ca', ...(body && { body }) }, certificate)
}

function identityOf({ cert }: ClientCertificate) {
  const { fingerprint } = parseLeafCertificate(cert)
  const row = findOne(view, 'authenticators', 'certFingerprint', fingerprint)
  return row && view.get('identities', row.identityId)
}

describe('by a certificate alone', async () => {
  const party = await registerCa(controller, { identityNameFormat: '[requestedName]-[commonName]' })
  const stranger = await registerCa(controller)
  await controller.write((change) => change.update('cas', stranger.caId, { isVerified: false }))

  test('a new identity is made, with the name and roles that its CA says', async () => {
    const device = party.certify('[identityId]')
    const { status, json } = await join(device, { name: 'asked' })
    assert.deepEqual([status, json], [200, { data: {}, meta: {} }])
    assert.partialDeepStrictEqual(identityOf(device), { name: 'asked-[identityId]', roleAttributes: ['device'] })
    const again = await join(device)
    assert.deepEqual([again.status, again.json.error.code], [409, 'CERT_IN_USE'])
  })

  test('names that are taken are numbered', async () => {
    for (const name of ['twin-a', 'twin-a000001', 'twin-a000002']) {
      const device = party.certify('a')
      assert.equal((await join(device, { name: 'twin' })).status, 200)
      assert.equal(identityOf(device)?.name, name)
    }
  })

  for (const [what, certificate] of [
    ['no certificate', undefined],
    ['a certificate of a CA that is not verified', stranger.certify('device')],
    ['an expired certificate', party.certify('device', { lifetime: -60_000 })],
  ] as const) {
    test(`${what} enrolls nobody`, async () => {
      const { status, json } = await join(certificate)
      assert.deepEqual([status, json.error.code], [400, 'CERT_FAILED_VALIDATION'])
    })
  }

  test('a certificate of the CA beside the own one proves nothing', async () => {
    const [own, borrowed] = [stranger.certify('own'), party.certify('victim')]
    const { status, json } = await join({ cert: own.cert + borrowed.cert, key: own.key })
    assert.deepEqual([status, json.error.code], [400, 'CERT_FAILED_VALIDATION'])
  })

  test('an intermediate that comes along completes the chain', async () => {
    const below = await party.root.createIntermediate({ subject: { commonName: 'below' } })
    const device = certify(below, 'deep')
    assert.equal((await join(device)).status, 200)
    assert.equal(identityOf(device)?.name, '-deep')
  })
})

test('where the CA says which part names the identity, that is its external id, once', async () => {
  const claim = {
    location: 'SAN_URI',
    matcher: 'SCHEME',
    matcherCriteria: 'device',
    parser: 'SPLIT',
    parserCriteria: '/',
    index: 2,
  }
  const party = await registerCa(controller, { externalIdClaim: claim })
  const device = party.certify('one', { uri: ['device://serial-7/x'] })
  assert.equal((await join(device)).status, 200)
  assert.equal(identityOf(device), undefined, 'any certificate that names it will do')
  assert.equal(view.find('identities', 'externalId', 'serial-7').toArray().length, 1)
  const second = await join(party.certify('two', { uri: ['device://serial-7/x'] }))
  assert.deepEqual([second.status, second.json.error.code], [409, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED'])
  const without = await join(party.certify('three'))
  assert.deepEqual([without.status, without.json.error.code], [400, 'MISSING_CERT_CLAIM'])
})

test('by invitation and a certificate of the CA it names, and of no other', async () => {
  const [party, other] = [await registerCa(controller), await registerCa(controller)]
  const { identityId, token } = await invite(controller, { ottca: party.caId })
  const enroll = (certificate?: ClientCertificate) =>
    controller.askClient(
      { method: 'POST', path: `/enroll?method=ottca&token=${token}`, contentType: 'text/plain' },
      certificate,
    )
  const [own, foreign] = [party.certify('device'), other.certify('device')]
  for (const certificate of [undefined, foreign, { cert: foreign.cert + own.cert, key: foreign.key }]) {
    const { status, json } = await enroll(certificate)
    assert.deepEqual([status, json.error.code], [400, 'CERTIFICATE_FAILED_VALIDATION'])
  }
  await controller.write((change) => change.update('cas', party.caId, { isOttCaEnrollmentEnabled: false }))
  assert.equal((await enroll(own)).json.error.code, 'ENROLLMENT_CA_NOT_VALID')
  await controller.write((change) => change.update('cas', party.caId, { isOttCaEnrollmentEnabled: true }))
  assert.equal((await enroll(own)).status, 200)
  assert.equal(identityOf(own)?.id, identityId)
  assert.equal((await enroll(own)).json.error.code, 'INVALID_ENROLLMENT_TOKEN')
})
