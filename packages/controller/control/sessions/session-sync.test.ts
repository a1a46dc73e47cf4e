import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { parseLeafCertificate } from '@weft/pki'
import { newCsr, newKey, registerCa } from '../../testing/enrolling.ts'
import { createSmallNetwork } from '../../testing/small-network.ts'
import { TestController } from '../../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../../testing/test-router.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

async function connectedRouter() {
  const router = await TestRouter.connect(controller, await enrollRouter(controller))
  await router.hears('dataStateChangeSet', ({ body }) => body.isSynthetic)
  return router
}

/** Everything that a router was told at once. */
function fullStates(router: TestRouter) {
  return router
    .all('apiSessionAdded')
    .filter(({ body }) => body.isFullState)
    .map(({ state = '', strategy, body }) => {
      const { id, sequence, isLast } = JSON.parse(state)
      return { id, sequence, isLast, strategy, sessions: body.apiSessions }
    })
}

test('a router is told of all API sessions in parts of a hundred, the last of which says so', async () => {
  await controller.write((change) => {
    const { id: identityId } = change.create('identities', { name: `crowd ${randomUUID()}` }, { idKind: 'short' })
    for (let left = 250; left > 0; left--) {
      const values = { token: randomUUID(), identityId, lastActivityAt: change.now }
      change.create('apiSessions', values, { idKind: 'cuid' })
    }
  })
  await using router = await connectedRouter()
  await router.hears('apiSessionAdded', ({ state = '' }) => JSON.parse(state).isLast)
  const rows = [...controller.core.kit.view.rows('apiSessions')]
  const parts = fullStates(router)
  assert.deepEqual(parts.map(({ sessions }) => sessions.length).slice(0, 2), [100, 100])
  assert.deepEqual(
    parts.map(({ sequence }) => sequence),
    parts.keys().toArray(),
  )
  assert.deepEqual(
    parts.map(({ isLast }) => isLast),
    parts.map((_, at) => at === parts.length - 1),
  )
  assert.equal(new Set(parts.map(({ id, strategy }) => `${id} ${strategy}`)).size, 1)
  assert.deepEqual(
    parts.flatMap(({ sessions }) => sessions.map(({ id, token }) => [id, token])),
    rows.map(({ id, token }) => [id, token]),
  )
})

test('who asks for all sessions again gets them under an id that sorts after the first', async () => {
  await using router = await connectedRouter()
  const first = (await router.hears('apiSessionAdded')).state!
  const { id } = JSON.parse(first)
  await router.send('requestClientReSync', { body: { reason: 'missed some' } })
  await router.hears('apiSessionAdded', ({ body, state = '' }) => body.isFullState && JSON.parse(state).id > id)
})

test('a router is told of a login, of new certificates, and of its end', async () => {
  const { identityId, serviceId } = await createSmallNetwork(controller)
  await using router = await connectedRouter()
  const token = await controller.loginAs(identityId)
  const isIt = ({ body }: { body: { apiSessions: readonly { token: string }[] } }) =>
    body.apiSessions.some((session) => session.token === token)
  const added = await router.hears('apiSessionAdded', (message) => isIt(message) && !message.body.isFullState)
  const [session] = added.body.apiSessions
  assert.deepEqual(session, { token, certFingerprints: [], id: session!.id, identityId })
  const csr = newCsr('whoever', newKey())
  const { status, text } = await controller.askClient({
    method: 'POST',
    path: '/current-api-session/certificates',
    body: { csr },
    token,
  })
  assert.equal(status, 201, text)
  const updated = await router.hears('apiSessionUpdated', isIt)
  assert.equal(updated.body.apiSessions[0]!.certFingerprints.length, 1)
  assert.match(updated.body.apiSessions[0]!.certFingerprints[0]!, /^[0-9a-f]{40}$/)

  const asked = { method: 'POST', path: '/sessions', body: { serviceId, type: 'Dial' }, token } as const
  const { json } = await controller.askClient(asked)
  const { id } = json.data
  await controller.askAdmin('DELETE', `/sessions/${id}`)
  const removed = await router.hears('sessionRemoved', ({ body }) => body.ids.includes(id))
  assert.deepEqual(removed.body, { tokens: [id], ids: [id] })
  await controller.askAdmin('DELETE', `/api-sessions/${session!.id}`)
  await router.hears('apiSessionRemoved', ({ body }) => body.tokens.includes(token))
})

test('a session that still owes a second factor is not told of before it has been given', async () => {
  await using router = await connectedRouter()
  const token = randomUUID()
  const id = await controller.write((change) => {
    const { id: identityId } = change.create('identities', { name: `owing ${token}` }, { idKind: 'short' })
    const values = { token, identityId, isMfaRequired: true, lastActivityAt: change.now }
    return change.create('apiSessions', values, { idKind: 'cuid' }).id
  })
  const witness = await controller.login([])
  await router.hears('apiSessionAdded', ({ body }) => body.apiSessions.some((session) => session.token === witness))
  const isIt = ({ body }: { body: { apiSessions: readonly { id: string }[] } }) =>
    body.apiSessions.some((session) => session.id === id)
  assert.equal(router.all('apiSessionAdded').some(isIt), false)
  await controller.write((change) => change.update('apiSessions', id, { isMfaComplete: true }))
  await router.hears('apiSessionAdded', isIt)
})

test('a session opened with a certificate whose CA names the identity is known by that certificate', async () => {
  await using router = await connectedRouter()
  const externalId = randomUUID()
  const claim = {
    location: 'COMMON_NAME',
    matcher: 'ALL',
    parser: 'NONE',
    index: 0,
    matcherCriteria: '',
    parserCriteria: '',
  }
  const ca = await registerCa(controller, { externalIdClaim: claim })
  await controller.write((change) => change.create('identities', { name: externalId, externalId }, { idKind: 'short' }))
  const certificate = ca.certify(externalId)
  const { status, json, text } = await controller.askClient(
    { method: 'POST', path: '/authenticate?method=cert', body: {} },
    certificate,
  )
  assert.equal(status, 200, text)
  const { token } = json.data
  const { fingerprint } = parseLeafCertificate(certificate.cert)
  await router.hears('apiSessionAdded', ({ body }) =>
    body.apiSessions.some((session) => session.token === token && session.certFingerprints.includes(fingerprint)),
  )
})

test('heartbeats keep sessions alive and are answered with those that have ended', async () => {
  await using router = await connectedRouter()
  const token = await controller.login([])
  await router.send('apiSessionHeartbeat', { body: { tokens: [token, 'gone', 'gone too'] } })
  const { body } = await router.hears('apiSessionRemoved', ({ body }) => body.tokens.includes('gone'))
  assert.deepEqual(body.tokens, ['gone', 'gone too'])
})

test('sessions that a router has kept are answered with those that have ended', async () => {
  const { serviceId, token } = await createSmallNetwork(controller)
  await using router = await connectedRouter()
  const asked = { method: 'POST', path: '/sessions', body: { serviceId, type: 'Bind' }, token } as const
  const { id } = (await controller.askClient(asked)).json.data
  await router.send('validateSessions', { body: { sessionTokens: ['gone', id] } })
  const { body } = await router.hears('sessionRemoved', ({ body }) => body.ids.includes('gone'))
  assert.deepEqual(body.ids, ['gone'])
})

test('transit routers are told of no session', async () => {
  const enrolled = await enrollRouter(controller, { collection: 'transit-routers' })
  await using router = await TestRouter.connect(controller, enrolled)
  await using edge = await connectedRouter()
  const token = await controller.login([])
  await edge.hears('apiSessionAdded', ({ body }) => body.apiSessions.some((session) => session.token === token))
  await router.ask('inspectRequest', { body: { requestedValues: ['capability'] } })
  assert.equal(
    router.heard.some((name) => name.startsWith('apiSession') || name === 'serverHello'),
    false,
  )
})
