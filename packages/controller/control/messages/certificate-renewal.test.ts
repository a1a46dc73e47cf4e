import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { encodePrivateKey, parseCertificates, parseLeafCertificate } from '@weft/pki'
import { type ControlMessage, controlMessages, edgeError } from '@weft/wire/messages'
import { defaultNetworkOptions } from '../../fabric/network-options.ts'
import { newCsr, newKey } from '../../testing/enrolling.ts'
import { TestController } from '../../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../../testing/test-router.ts'

const network = { ...defaultNetworkOptions, routerConnectChurnLimit: 0 }
const controller = await TestController.start({ network })
after(() => controller[Symbol.asyncDispose]())

const { view } = controller.core.kit

async function confirm(router: TestRouter, clientCertPem: string): Promise<string> {
  const { message } = await router.ask('enrollmentExtendRouterVerify', { body: { clientCertPem } })
  return edgeError.decode((message as ControlMessage<'error'>).body).code
}

for (const collection of ['edge-routers', 'transit-routers'] as const) {
  test(`a router of ${collection} gets new certificates, which count when it has shown that it has them`, async () => {
    const enrolled = await enrollRouter(controller, { collection })
    const { id } = enrolled
    await using router = await TestRouter.connect(controller, enrolled)
    const old = view.get('routers', id)!.fingerprint
    assert.equal(await confirm(router, enrolled.cert), 'INVALID_ROUTER_STATE')
    const key = newKey()
    const requests = { clientCertCsr: newCsr(id, key), serverCertCsr: newCsr(id, key), requireVerification: true }
    await router.send('enrollmentExtendRouter', { body: requests })
    const { body } = await router.hears('enrollmentCerts')
    const leaf = parseLeafCertificate(body.clientCertPem)
    assert.equal(parseCertificates(body.serverCertPem).length, 2)
    assert.partialDeepStrictEqual(view.get('routers', id), {
      fingerprint: old,
      unverifiedFingerprint: leaf.fingerprint,
    })

    const contentType = controlMessages.typeOf('enrollmentExtendRouterVerify')
    const unreadable = await router.channel.request({ contentType, body: Buffer.from([0x0a, 0x7f]) })
    const { message } = controlMessages.decodeReply('enrollmentExtendRouterVerify', unreadable)
    assert.equal(edgeError.decode(message.body).code, 'COULD_NOT_UNMARSHAL')
    assert.equal(await confirm(router, ''), 'MISSING_CLIENT_PEM')
    assert.equal(await confirm(router, 'junk'), 'INVALID_CLIENT_PEM')
    assert.equal(await confirm(router, enrolled.cert), 'INVALID_CLIENT_PEM')
    // Until then the old one counts: a lost message locks nobody out.
    await using _again = await TestRouter.connect(controller, enrolled)

    await using asked = await TestRouter.connect(controller, enrolled)
    assert.equal(await confirm(asked, body.clientCertPem), '')
    assert.partialDeepStrictEqual(view.get('routers', id), { fingerprint: leaf.fingerprint, unverifiedCertPem: null })
    await using _renewed = await TestRouter.connect(controller, {
      id,
      cert: body.clientCertPem,
      key: encodePrivateKey(key),
    })
    await assert.rejects(TestRouter.connect(controller, enrolled))
  })
}

test('requests for another name, for half of it, or by a certificate that no longer counts get nothing', async () => {
  const enrolled = await enrollRouter(controller)
  const { id } = enrolled
  await using router = await TestRouter.connect(controller, enrolled)
  const good = newCsr(id)
  for (const requests of [
    { clientCertCsr: newCsr('another'), serverCertCsr: good },
    { clientCertCsr: good, serverCertCsr: 'junk' },
    { clientCertCsr: '', serverCertCsr: good },
  ]) {
    await router.send('enrollmentExtendRouter', { body: { ...requests, requireVerification: true } })
  }
  await router.send('enrollmentExtendRouter', { body: { clientCertCsr: good, serverCertCsr: good } })
  await router.hears('enrollmentCerts')
  const after = view.get('routers', id)!
  assert.notEqual(after.fingerprint, parseLeafCertificate(enrolled.cert).fingerprint)
  // The channel is still the one of the certificate that was replaced.
  await router.send('enrollmentExtendRouter', { body: { clientCertCsr: good, serverCertCsr: good } })
  await router.ask('inspectRequest', { body: { requestedValues: [] } })
  assert.equal(router.all('enrollmentCerts').length, 1)
  assert.equal(view.get('routers', id)!.fingerprint, after.fingerprint)
})

test('a router that has to enroll again, is disabled or deleted loses its channel', async () => {
  for (const end of ['enroll again', 'disable', 'delete'] as const) {
    const enrolled = await enrollRouter(controller)
    const path = `/edge-routers/${enrolled.id}`
    await using router = await TestRouter.connect(controller, enrolled)
    if (end === 'enroll again') await controller.askAdmin('POST', `${path}/re-enroll`)
    else if (end === 'disable') await controller.askAdmin('PATCH', path, { disabled: true })
    else await controller.askAdmin('DELETE', path)
    await router.channel.closed
    await assert.rejects(TestRouter.connect(controller, enrolled))
  }
})
