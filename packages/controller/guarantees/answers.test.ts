/**
 * What every answer keeps to: that strict clients can read it, that anybody may see what anybody is told, and that nobody
 * sees more by asking in another way.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { enrolled, newCsr, registerCa } from '../testing/enrolling.ts'
import { hostileCertificates, untimelyCertificates } from '../testing/hostile-certificates.ts'
import { OidcClient, REDIRECT_URI } from '../testing/oidc-client.ts'
import { createPasswordUser, idOf } from '../testing/password-user.ts'
import { createSmallNetwork } from '../testing/small-network.ts'
import { type ClientCertificate, TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const client = new OidcClient(controller)
const network = await createSmallNetwork(controller)

describe('strict clients can read', () => {
  test('lists that are there though they are empty', async () => {
    const { json: version } = await controller.askClient({ path: '/version' })
    assert.ok(Array.isArray(version.data.capabilities))
    const { json: services } = await controller.askClient({ path: '/services', token: network.token })
    const [service] = services.data
    assert.ok(Array.isArray(service.postureQueries) && Array.isArray(service.permissions))
    for (const set of service.postureQueries) {
      assert.ok(Array.isArray(set.postureQueries))
      for (const query of set.postureQueries) assert.equal(typeof query.timeoutRemaining, 'number')
    }
    for (const path of ['/services', '/sessions', '/controllers', '/current-identity/edge-routers']) {
      const { json } = await controller.askClient({ path, token: network.token })
      assert.ok(Array.isArray(json.data), path)
      assert.deepEqual(Object.keys(json.meta.pagination).sort(), ['limit', 'offset', 'totalCount'], path)
    }
  })

  test('the bundle of authorities, in lines that are short enough', async () => {
    const { text: bundle } = await controller.askClient({ path: '/.well-known/est/cacerts' })
    const lines = bundle.trimEnd().split(/\r?\n/)
    assert.ok(lines.length > 1)
    for (const line of lines) assert.ok(line.length <= 76 && /^[A-Za-z0-9+/=]+$/.test(line), line)
  })

  test('a version that is a semantic one, and complete from the first answer on', async () => {
    const { json } = await controller.askClient({ path: '/version' })
    assert.match(json.data.version, /^v[1-9]\d*\.\d+\.\d+$/)
    for (const binding of ['edge', 'edge-client', 'edge-management', 'edge-oidc']) {
      const { path, apiBaseUrls } = json.data.apiVersions[binding].v1
      assert.ok(path.startsWith('/') && apiBaseUrls.length > 0, binding)
    }
    const fresh = await TestController.start()
    try {
      const first = await fresh.askClient({ path: '/version' })
      assert.deepEqual(Object.keys(first.json.data.apiVersions), Object.keys(json.data.apiVersions))
    } finally {
      await fresh[Symbol.asyncDispose]()
    }
  })

  test('numbers beyond 53 bits, digit by digit', async () => {
    for (const { text: body } of [
      await controller.askAdmin('GET', '/identities?filter=limit%20none'),
      await controller.askClient({ path: '/services?filter=limit%20none', token: network.token }),
    ]) {
      assert.match(body, /"limit":9223372036854775807\b/)
    }
  })

  for (const [coding, decode] of Object.entries({ br: brotliDecompressSync, gzip: gunzipSync })) {
    test(`refusals that are compressed by ${coding}`, async () => {
      const answer = await binary({ path: '/edge/client/v1/services', headers: { 'accept-encoding': coding } })
      assert.equal(answer.status, 401)
      const body = answer.coding === coding ? decode(answer.bytes) : answer.bytes
      assert.equal(JSON.parse(body.toString('utf8')).error.code, 'UNAUTHORIZED')
    })
  }
})

/** An answer as it comes over the wire. */
async function binary({ path, headers }: { readonly path: string; readonly headers: Record<string, string> }) {
  const request = https.get({ ...controller.clientAddress, path, headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return {
    status: response.statusCode,
    coding: response.headers['content-encoding'],
    bytes: Buffer.concat(chunks),
  }
}

describe('a login at the provider', () => {
  test('may begin with a form that is empty and says nothing of its type', async () => {
    const query = new URLSearchParams({
      client_id: 'openziti',
      response_type: 'code',
      scope: 'openid offline_access',
      redirect_uri: REDIRECT_URI,
      code_challenge: 'A'.repeat(43),
      code_challenge_method: 'S256',
    })
    const { status, headers } = await controller.askOidc({ method: 'POST', path: `/authorize?${query}` })
    assert.equal(status, 302)
    assert.match(String(headers.location), /^\/oidc\/login\/username\?authRequestID=[0-9a-f-]{36}$/)
  })

  test('is sent on to where it came from, and to the client at last', async () => {
    const user = await createPasswordUser(controller)
    const host = '127.0.0.1:1280'
    const base = `https://${host}/oidc/`
    const begun = await client.authorize()
    assert.equal(new URL(String(begun.headers.location), base).host, host)
    const id = String(begun.headers.location).split('authRequestID=')[1]!
    const passed = await client.post('/login/password', { id, username: user.username, password: user.password })
    assert.equal(new URL(String(passed.headers.location), base).host, host)
    const { headers } = await client.ask(`/authorize/callback?id=${id}`)
    assert.ok(String(headers.location).startsWith(`${REDIRECT_URI}?code=`))
  })

  test('is read whatever the case of its names, and though it says more than is known', async () => {
    const user = await createPasswordUser(controller)
    for (const name of ['appID', 'appId', 'APPID']) {
      const { requestId: id } = await client.begin()
      const { username, password } = user
      const sdkInfo = { [name]: `as ${name}`, somethingNew: 1 }
      const body = { id, username, password, sdkInfo, envInfo: { deviceId: 'x', os: 'linux' }, more: { than: 'known' } }
      assert.equal((await controller.askOidc({ method: 'POST', path: '/login/password', body })).status, 302)
      const { json } = await controller.askAdmin('GET', `/identities/${user.identityId}`)
      assert.equal(json.data.sdkInfo.appId, `as ${name}`)
    }
  })
})

describe('the handshake', () => {
  test('lets every certificate in: who vouches for it is asked where it counts', async () => {
    const party = await registerCa(controller)
    const shown = {
      ...(await hostileCertificates(party.root, { commonName: 'x' })),
      ...untimelyCertificates(party.root, { commonName: 'x' }),
    }
    for (const [name, certificate] of Object.entries({ ...shown, 'of a third party': party.certify('x') })) {
      assert.equal((await controller.askClient({ path: '/version' }, certificate)).status, 200, name)
    }
  })

  test('that a client would resume proves its certificate anew', async () => {
    const holder = await enrolled(controller)
    const bound = new OidcClient(controller, 'openziti', holder)
    const begun = await bound.begin()
    await bound.post('/login/cert', { id: begun.requestId })
    const { json } = await bound.redeem(await bound.finish(begun))
    const first = await resumable(holder, json.access_token)
    const second = await resumable(holder, json.access_token, first.session)
    assert.deepEqual([first.status, first.isResumed], [200, false])
    assert.deepEqual([second.status, second.isResumed], [200, false])
  })
})

/** Asks once over a connection of its own, which offers to resume a former one. */
async function resumable(certificate: ClientCertificate, token: string, session?: Buffer) {
  const path = '/edge/client/v1/current-identity'
  const headers = { authorization: `Bearer ${token}` }
  const { cert, key } = certificate
  const options = { ...controller.clientAddress, path, headers, agent: false, cert, key, ...(session && { session }) }
  const request = https.get(options as https.RequestOptions)
  const sessions: Buffer[] = []
  request.on('socket', (socket) => socket.on('session', (ticket: Buffer) => sessions.push(ticket)))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const isResumed = (response.socket as TLSSocket).isSessionReused()
  await text(response)
  return { status: response.statusCode, isResumed, session: sessions.at(-1) }
}

describe('what anybody may ask', () => {
  const secrets = { certPem: 'BEGIN CERTIFICATE', jwks: 'keys.internal.example', kid: 'kid-of-the-signer' }

  test('tells nothing of how tokens are checked, of certificates, or of where things are inside', async () => {
    const { root } = await registerCa(controller)
    const signers = [
      { name: 'by certificate', issuer: 'https://a.example', certPem: root.certificate.pem, kid: secrets.kid },
      { name: 'by keys', issuer: 'https://b.example', jwksEndpoint: `https://${secrets.jwks}/keys` },
    ]
    for (const signer of signers) {
      idOf(await controller.askAdmin('POST', '/external-jwt-signers', { audience: 'weft', enabled: true, ...signer }))
    }
    const paths = ['/external-jwt-signers', '/network-jwts', '/version', '/protocols', '/specs']
    for (const path of paths) {
      const { status, text: body } = await controller.askClient({ path })
      assert.equal(status, 200, path)
      for (const [what, secret] of Object.entries({
        ...secrets,
        database: 'controller.db',
        control: 'tls:127.0.0.1',
      })) {
        assert.ok(!body.includes(secret), `${path} tells ${what}`)
      }
    }
    const { json } = await controller.askClient({ path: '/external-jwt-signers?limit=100000' })
    assert.ok(json.meta.pagination.limit <= 500, 'a bounded list')
  })

  test('is not told to whoever comes with a cookie', async () => {
    const cookie = `zt-session=${network.token}; authorization=Bearer ${network.token}`
    const { status, headers } = await controller.askClient({
      path: '/services',
      headers: { cookie, origin: 'https://a.example' },
    })
    assert.equal(status, 401)
    assert.equal(headers['set-cookie'], undefined)
    const logged = await controller.askClient({ path: '/services', token: network.token })
    assert.equal(logged.headers['set-cookie'], undefined)
  })
})

describe('a filter', () => {
  const wide = ['true', 'not (id = "x")', 'id != "x" or true', 'true or true and true', 'not false']

  test('does not widen what is the caller’s own', async () => {
    const [mine, other] = [await createPasswordUser(controller), await createPasswordUser(controller)]
    for (const { token } of [mine, other]) {
      const path = '/current-api-session/certificates'
      assert.equal(
        (await controller.askClient({ method: 'POST', path, body: { csr: newCsr('x') }, token })).status,
        201,
      )
    }
    for (const path of ['/current-api-session/certificates', '/current-identity/authenticators']) {
      for (const filter of wide) {
        const asked = { path: `${path}?filter=${encodeURIComponent(filter)}`, token: mine.token }
        const { status, json } = await controller.askClient(asked)
        assert.deepEqual([status, json.data.length], [200, 1], `${path} ${filter}`)
      }
    }
    for (const filter of wide) {
      const { json } = await controller.askClient({
        path: `/services?filter=${encodeURIComponent(filter)}`,
        token: network.token,
      })
      assert.deepEqual(
        json.data.map(({ id }: { id: string }) => id),
        [network.serviceId],
        filter,
      )
    }
  })

  for (const filter of [
    'createdAt between 1 and 2',
    'name > true',
    'tags.x between "a" and 3',
    'isAdmin = 7',
    'name = datetime(x)',
  ]) {
    test(`that compares what cannot be compared is refused: ${filter}`, async () => {
      const { status, json } = await controller.askAdmin('GET', `/identities?filter=${encodeURIComponent(filter)}`)
      assert.deepEqual([status, json.error.code], [400, 'INVALID_FILTER'])
    })
  }
})

describe('a change', () => {
  test('clears tags by an empty object, and nothing by null', async () => {
    const id = idOf(
      await controller.askAdmin('POST', '/services', {
        name: randomUUID(),
        encryptionRequired: true,
        tags: { a: '1' },
      }),
    )
    const tags = async () => (await controller.askAdmin('GET', `/services/${id}`)).json.data.tags
    assert.equal((await controller.askAdmin('PATCH', `/services/${id}`, { tags: null, name: null })).status, 200)
    assert.deepEqual(await tags(), { a: '1' })
    assert.equal((await controller.askAdmin('PATCH', `/services/${id}`, { tags: {} })).status, 200)
    assert.deepEqual(await tags(), {})
  })

  test('of a part is judged by the whole it makes', async () => {
    const { caId } = await registerCa(controller)
    const half = { externalIdClaim: { location: 'SAN_URI' } }
    const { status, json } = await controller.askAdmin('PATCH', `/cas/${caId}`, half)
    assert.deepEqual([status, json.error.code], [400, 'INVALID_FIELD'])
    const whole = {
      location: 'SAN_URI',
      matcher: 'ALL',
      matcherCriteria: '',
      parser: 'NONE',
      parserCriteria: '',
      index: 0,
    }
    assert.equal((await controller.askAdmin('PATCH', `/cas/${caId}`, { externalIdClaim: whole })).status, 200)
    assert.equal((await controller.askAdmin('PATCH', `/cas/${caId}`, half)).status, 200)
  })

  test('of one policy ends no session that another one grants', async () => {
    const { token, serviceId, dialPolicyId, bindPolicyId } = network
    const body = { serviceId, type: 'Dial' }
    const { status, json } = await controller.askClient({ method: 'POST', path: '/sessions', body, token })
    assert.equal(status, 201)
    const isThere = async () =>
      (await controller.askClient({ path: `/sessions/${json.data.id}`, token })).status === 200
    await controller.askAdmin('PATCH', `/service-policies/${bindPolicyId}`, { identityRoles: [] })
    await controller.askAdmin('PATCH', `/service-policies/${dialPolicyId}`, { name: randomUUID() })
    assert.ok(await isThere())
    await controller.askAdmin('PATCH', `/service-policies/${dialPolicyId}`, { identityRoles: [] })
    for (let tries = 0; tries < 100 && (await isThere()); tries++)
      await new Promise((resolve) => setTimeout(resolve, 50))
    assert.ok(!(await isThere()))
  })
})
