import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { parseLeafCertificate } from '@weft/pki'
import { dialUnderlay, encodeHello } from '@weft/wire'
import { controlHello } from '@weft/wire/messages'
import { createCarriedService, hostAt, tokensFor } from '../testing/carried-service.ts'
import { enrolled as enrolledIdentity, registerCa } from '../testing/enrolling.ts'
import { untimelyCertificates } from '../testing/hostile-certificates.ts'
import { type ClientCertificate, TestController } from '../testing/test-controller.ts'
import { type EnrolledRouter, enrollRouter, TestRouter } from '../testing/test-router.ts'

const routerHeartbeats = { sendInterval: 10_000, checkInterval: 1_000, closeUnresponsiveTimeout: 30_000 }
const ctrlChannels = {
  ...{ outQueueSize: 4, maxOutstandingConnects: 16, maxQueuedConnects: 1 },
  ...{ handshakeTimeout: 5_000, connectTimeout: 4_000, writeTimeout: undefined, routerHeartbeats },
}
const controller = await TestController.start({ ctrlChannels })
after(() => controller[Symbol.asyncDispose]())

const VERSION = 'v2.1.0|abc|today|linux|amd64'
/** Connections of one router, and of those that are none. */
const CROWD = process.env.WEFT_LONG ? 2_000 : 40
const STRANGERS = process.env.WEFT_LONG ? 4_000 : 200
/** Of a busy machine, in milliseconds. */
const PATIENCE = 10_000
const { view } = controller.core.kit

/** A TLS connection that says of itself that it is a router's, and nothing else yet. */
async function bareSocket(certificate?: ClientCertificate): Promise<TLSSocket> {
  const socket = connect({ ...controller.clientAddress, ALPNProtocols: ['ziti-ctrl'], ...certificate })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

async function isSentAway(socket: TLSSocket): Promise<void> {
  socket.resume()
  if (!socket.destroyed) await once(socket, 'close')
}

async function isRefused(router: EnrolledRouter, options = {}): Promise<void> {
  await assert.rejects(TestRouter.connect(controller, router, options))
}

test('who a router is follows from its leaf, not from what it says or shows besides', async () => {
  const [own, victim] = [await enrollRouter(controller), await enrollRouter(controller)]
  await isRefused(own, { id: victim.id })
  await isRefused({ ...own, id: victim.id, cert: own.cert + victim.cert })
  const identity = await enrolledIdentity(controller)
  await isRefused({ id: victim.id, cert: identity.cert, key: identity.key })
  await isRefused({ id: victim.id, cert: identity.cert + victim.cert, key: identity.key })
  await isRefused(own, { id: 'unknown' })
  // What kind of connection it says it is opens no other door.
  for (const type of ['ctrl.mesh', 'ctrl.high', 'anything']) {
    await isRefused(own, { id: victim.id, group: { type, desired: {} } })
    await isRefused({ ...identity, id: victim.id }, { group: { type, desired: {} } })
  }
  const foreign = await registerCa(controller)
  await isRefused({ id: victim.id, ...foreign.certify(victim.id) })
  assert.equal((await controller.askAdmin('GET', `/edge-routers/${victim.id}`)).json.data.isOnline, false)
  await using router = await TestRouter.connect(controller, victim)
  assert.equal(router.channel.isClosed, false)
})

test('a certificate counts in its time alone', async () => {
  const { id } = await enrollRouter(controller)
  for (const certificate of Object.values(untimelyCertificates(controller.pki.signer, { commonName: id }))) {
    const { fingerprint, pem: certPem } = parseLeafCertificate(certificate.cert)
    await controller.write((change) => change.update('routers', id, { fingerprint, certPem }))
    await isRefused({ id, ...certificate })
  }
})

test('a version that has not five parts is no version', async () => {
  const enrolled = await enrollRouter(controller)
  for (const version of ['', 'v2.1.0', 'v2.1.0|a|b|c|d|e']) {
    await using router = await TestRouter.connect(controller, enrolled, { version })
    await router.channel.closed
  }
  assert.equal((await controller.askAdmin('GET', `/edge-routers/${enrolled.id}`)).json.data.isOnline, false)
})

test('whoever is no router is sent away at once, however many there are, and routers still come in', async () => {
  const enrolled = await enrollRouter(controller)
  const { cert, key } = await enrolledIdentity(controller)
  await using early = await TestRouter.connect(controller, await enrollRouter(controller))
  for (let nth = 0; nth < STRANGERS; nth += 200) {
    const some = Array.from({ length: 200 }, (_, at) => bareSocket(at % 2 ? { cert, key } : undefined))
    const started = performance.now()
    const crowd = await Promise.all(some)
    await settled(early)
    await Promise.all(crowd.map(isSentAway))
    assert.ok(performance.now() - started < PATIENCE)
  }
  await using router = await TestRouter.connect(controller, enrolled)
  assert.equal(router.channel.isClosed, false)
})

test('a router has a handful of connections, stalled ones among them, and those end by themselves', async () => {
  const enrolled = await enrollRouter(controller)
  const hello = encodeHello({ id: enrolled.id, headers: controlHello.encode('hello', { version: VERSION }).headers })
  const started = performance.now()
  for (let nth = 0; nth < CROWD; nth += 40) {
    const sockets = await Promise.all(Array.from({ length: 40 }, () => bareSocket(enrolled)))
    // Half a frame each, and then nothing.
    for (const socket of sockets) socket.write(hello.subarray(0, 30))
    await Promise.all(sockets.map(isSentAway))
  }
  const tooMany = controller.logged.filter((line) => line.includes('the router has too many connections'))
  const rounds = Math.ceil(CROWD / 40)
  assert.equal(tooMany.length, CROWD - 16 * rounds)
  const took = performance.now() - started
  assert.ok(took < rounds * (ctrlChannels.connectTimeout + PATIENCE), `${took} ms`)
  await using router = await TestRouter.connect(controller, enrolled)
  assert.equal(router.channel.isClosed, false)
})

test('a hello that is too long, or no hello at all, ends the connection', async () => {
  const enrolled = await enrollRouter(controller)
  const tooLong = Buffer.from(encodeHello({ id: enrolled.id }))
  tooLong.writeUInt32LE(0x7fff_ffff, 16)
  for (const bytes of [tooLong, Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(1_024, 0xff)]) {
    const socket = await bareSocket(enrolled)
    socket.write(bytes)
    await isSentAway(socket)
  }
})

test('a second connection of a router waits until the first is no longer new', async () => {
  const enrolled = await enrollRouter(controller)
  await using router = await TestRouter.connect(controller, enrolled)
  await isRefused(enrolled)
  await router.ask('inspectRequest', { body: { requestedValues: [] } })
})

test('a group is joined by its own router with its secret alone', async () => {
  const [one, two] = [await enrollRouter(controller), await enrollRouter(controller)]
  const group = { type: 'ctrl.default', desired: { 'ctrl.default': 1 } }
  await using router = await TestRouter.connect(controller, one, { group })
  const { secret, connectionId } = router.channel.first
  const { host, port, ca: caPem } = controller.clientAddress
  const join = ({ id, cert: certPem, key: keyPem }: EnrolledRouter, place: { secret: Buffer; connectionId: string }) =>
    dialUnderlay({
      address: `tls:${host}:${port}`,
      protocols: ['ziti-ctrl'],
      tls: { client: { certPem, keyPem }, caPem },
      hello: { id, type: 'ctrl.high', group: { isFirst: false, ...place } },
    })
  await assert.rejects(join(one, { secret: Buffer.alloc(16), connectionId }))
  await assert.rejects(join(one, { secret: secret!, connectionId: 'unknown' }))
  await assert.rejects(join(two, { secret: secret!, connectionId }))
  await assert.rejects(join({ ...two, id: one.id }, { secret: secret!, connectionId }))
  const joined = await join(one, { secret: secret!, connectionId })
  assert.equal(router.channel.isClosed, false)
  joined.connection.destroy()
})

test('a router speaks for itself: links, circuits and terminators of others stay as they are', async () => {
  await using host = await TestRouter.connect(controller, await enrollRouter(controller))
  await using peer = await TestRouter.connect(controller, await enrollRouter(controller))
  await using hostile = await TestRouter.connect(controller, await enrollRouter(controller))
  const service = await createCarriedService(controller)
  const { serviceId } = service
  const hosting = await tokensFor(controller, 'stored', service.host, { serviceId, type: 'Bind' })
  const dialling = await tokensFor(controller, 'stored', service.client, { serviceId, type: 'Dial' })
  const { id: terminatorId } = await hostAt(host, hosting)
  const { apiSessionToken, sessionToken } = dialling
  const { message } = await host.ask('createCircuitV2', { apiSessionToken, sessionToken })
  const { circuitId } = message as { circuitId: string }
  const linkId = randomUUID()
  const link = { id: linkId, destRouterId: peer.id, linkProtocol: 'tls', dialAddress: 'tls:here:1', iteration: 1 }
  await host.send('routerLinks', { body: { links: [link], fullRefresh: true } })
  await settled(host)

  await hostile.send('routerLinks', { body: { links: [{ ...link, iteration: 9 }], fullRefresh: true } })
  await hostile.send('fault', { body: { subject: 'LinkFault', id: linkId, iteration: 9 } })
  await hostile.send('fault', { body: { subject: 'LinkDuplicate', id: linkId } })
  for (const subject of ['IngressFault', 'EgressFault', 'ForwardFault'] as const) {
    await hostile.send('fault', { body: { subject, id: circuitId } })
  }
  await hostile.send('linkState', { body: { linkId, linkIteration: 1, connState: { stateIteration: 9, conns: [] } } })
  await hostile.send('circuitConfirmation', { body: { circuitIds: [circuitId] } })
  await hostile.ask('removeTerminators', { body: { terminatorIds: [terminatorId] } })
  await hostile.ask('removeTerminator', { body: { terminatorId } })
  await hostile.ask('removeTunnelTerminator', { body: terminatorId })
  await hostile.ask('updateTunnelTerminator', { body: { terminatorId, cost: 9, updateCost: true } })
  await hostile.ask('fabricUpdateTerminator', { body: { terminatorId, cost: 9, updateCost: true } })
  const update = { terminatorId, ...hosting, cost: 9, updateCost: true }
  assert.equal((await hostile.ask('updateTerminator', { body: update })).name, 'error')
  // The very session of the host, at another router, under the id of the terminator that is there.
  const conflict = await hostile.ask('createTerminatorV2', { body: { address: terminatorId, ...hosting } })
  assert.equal(conflict.message.body.retryHint, 3)
  await settled(hostile)
  await settled(host)
  await settled(peer)
  assert.partialDeepStrictEqual(view.get('terminators', terminatorId), { cost: 0, routerId: host.id })
  for (const router of [host, peer]) assert.equal(router.all('fault').length, 0)
  assert.equal(host.all('unroute').length, 0)

  // Its own link and circuit are the router's to end.
  await host.send('fault', { body: { subject: 'LinkFault', id: linkId, iteration: 1 } })
  await peer.hears('fault', ({ body }) => body.id === linkId)
  await host.send('fault', { body: { subject: 'IngressFault', id: circuitId } })
  await host.hears('unroute', ({ body }) => body.circuitId === circuitId)
})

async function settled(router: TestRouter): Promise<void> {
  await router.ask('inspectRequest', { body: { requestedValues: [] } })
}
