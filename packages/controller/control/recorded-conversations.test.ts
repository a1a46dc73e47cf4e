import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseLeafCertificate } from '@weft/pki'
import { type ControlMessageName, controlMessages } from '@weft/wire/messages'
import { defaultNetworkOptions } from '../fabric/network-options.ts'
import { createCarriedService, hostAt, tokensFor } from '../testing/carried-service.ts'
import { TestController } from '../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../testing/test-router.ts'

const network = { ...defaultNetworkOptions, routerConnectChurnLimit: 0 }
const controller = await TestController.start({ network })
after(() => controller[Symbol.asyncDispose]())

interface RecordedMessage {
  readonly from: string
  readonly to: string
  readonly channel?: string
  readonly contentType?: number
}

/** What the Go controller says to a router in a recorded conversation, after the hello, in order. */
function saidTo(router: string, file: string): readonly ControlMessageName[] {
  const path = join(import.meta.dirname, '../../../testdata/wire', `${file}.json`)
  const { messages } = JSON.parse(readFileSync(path, 'utf8')) as { messages: readonly RecordedMessage[] }
  return messages
    .filter(({ from, to, channel }) => from === 'ctrl1' && to === router && channel === 'ctrl')
    .map(({ contentType }) => controlMessages.nameOf(contentType ?? -1)!)
}

/** Of which kinds, without how many. */
function kinds(names: Iterable<ControlMessageName>): readonly ControlMessageName[] {
  return [...new Set(names)].sort()
}

test('a router that connects hears what it hears from the Go controller, and where the controllers are', async () => {
  const peerEnrolled = await enrollRouter(controller)
  await using peer = await TestRouter.connect(controller, peerEnrolled)
  const group = { type: 'ctrl.default', desired: { 'ctrl.default': 1 } }
  await using router = await TestRouter.connect(controller, await enrollRouter(controller), { group })
  const results: ControlMessageName[] = []
  const asked = async (answer: Promise<{ readonly name: ControlMessageName }>) => results.push((await answer).name)

  await router.send('routerLinks', { body: { fullRefresh: true } })
  const subscribe = { subscriptionDurationSeconds: 300, subscriptionId: 'itn9i.zOX' }
  await router.send('subscribeToDataModel', { body: subscribe })
  const state = await router.hears('dataState')
  assert.equal(state.subscriptionId, subscribe.subscriptionId)
  await router.hears(
    'dataStateChangeSet',
    ({ body, subscriptionId }) => body.isSynthetic && subscriptionId === undefined,
  )
  const { fingerprint } = parseLeafCertificate(peerEnrolled.cert)
  await asked(router.ask('verifyRouter', { body: { routerId: peer.id, fingerprints: [fingerprint] } }))
  const link = {
    id: 'a link',
    destRouterId: peer.id,
    linkProtocol: 'tls',
    dialAddress: 'tls:localhost:1',
    iteration: 1,
  }
  await router.send('routerLinks', { body: { links: [link] } })
  const interfaces = [{ name: 'eth0', mtu: 1400, index: 4, flags: 51, addresses: ['192.0.2.2/24'] }]
  await asked(router.ask('updateRouterInterfaces', { body: { interfaces } }))
  await controller.askAdmin('PATCH', `/edge-routers/${router.id}`, { name: 'another name' })
  await router.hears('dataStateChangeSet', ({ body, subscriptionId }) => {
    const isOwn = body.changes.some(({ model }) => model?.kind === 'router' && model.value.id === router.id)
    return isOwn && body.previousIndex >= state.body.endIndex && subscriptionId === subscribe.subscriptionId
  })
  await router.send('connectEvents', { body: { fullState: true } })
  const connState = { stateIteration: 2, conns: [{ type: 'link.default' }] }
  await router.send('linkState', { body: { linkId: link.id, linkIteration: 1, connState } })
  await router.send('metrics', { body: { sourceId: router.id } })
  await router.hears('peerStateChanges', ({ body }) => body.changes.some(({ id }) => id === peer.id))
  await peer.hears('peerStateChanges', ({ body }) => body.changes.some(({ id }) => id === router.id))

  const recorded = saidTo('r1', 'trace-router-connect')
  // The recorded controller had no session of the old kind and was no member of a cluster.
  const own = router.heard.filter((name) => name !== 'apiSessionAdded' && name !== 'updateCtrlAddresses')
  assert.deepEqual(kinds([...own, ...results]), kinds(recorded))
  assert.ok(router.heard.includes('updateCtrlAddresses'))
  assert.ok(router.heard.indexOf('serverHello') < router.heard.indexOf('dataStateChangeSet'))
})

test('a router that hosts hears the same answers, and is asked what it hosts when it comes back', async () => {
  const enrolled = await enrollRouter(controller)
  const { serviceId, host } = await createCarriedService(controller)
  const tokens = await tokensFor(controller, 'bearer', host, { serviceId, type: 'Bind' })
  const recorded = saidTo('r2', 'trace-host-bind')
  const heard: ControlMessageName[] = []
  const hosted: string[] = []
  {
    await using router = await TestRouter.connect(controller, enrolled)
    for (let left = recorded.filter((name) => name === 'createTerminatorV2Response').length; left > 0; left--) {
      const { id, result } = await hostAt(router, tokens)
      assert.equal(result, 'Success')
      hosted.push(id)
      heard.push('createTerminatorV2Response')
    }
  }
  await using router = await TestRouter.connect(controller, enrolled)
  const { body } = await router.hears('validateTerminatorsV2')
  heard.push('validateTerminatorsV2')
  assert.deepEqual(heard, recorded)
  assert.deepEqual(body.terminators.map(({ id }) => id).sort(), hosted.toSorted())
  assert.deepEqual([body.fixInvalid, body.postCreate], [true, true])
  assert.ok(body.terminators.every(({ marker, binding }) => marker > 0n && binding === 'edge'))
  // Of one that it hosts no longer, one that it hosts, and one of which it cannot tell; the others it does not mention.
  const [gone, kept, ...untold] = hosted
  const { marker } = body.terminators[0]!
  const states = new Map([
    [gone!, { valid: false, reason: 'UnknownTerminator', marker }],
    [kept!, { valid: true, marker }],
    ['of another', { valid: false, reason: 'UnknownTerminator', marker }],
  ] as const)
  await router.answer('validateTerminatorsV2', 'validateTerminatorsV2Response', { body: { states } })
  const { view } = controller.core.kit
  for (let left = 400; left > 0 && view.get('terminators', gone!) !== undefined; left--) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  assert.equal(view.get('terminators', gone!), undefined)
  for (const id of [kept!, ...untold]) assert.ok(view.get('terminators', id))
})
