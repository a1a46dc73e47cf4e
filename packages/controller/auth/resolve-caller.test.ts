import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { createAuthPolicy, createPasswordUser, idOf, login } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'
import { TokenIssuer } from '../testing/token-issuer.ts'
import { bearerTokens } from './bearer-tokens.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const idp = TokenIssuer.ec()
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [idp.jwk] }))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())

const issuer = 'https://idp.example/second'
const signerId = idOf(
  await controller.askAdmin('POST', '/external-jwt-signers', {
    name: 'second',
    issuer,
    audience: 'weft',
    enabled: true,
    jwksEndpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
  }),
)
const authPolicyId = await createAuthPolicy(controller, { secondary: { requireExtJwtSigner: signerId } })
const user = await createPasswordUser(controller, { authPolicyId, isAdmin: true })
const other = await createPasswordUser(controller, { authPolicyId })

const claims = { iss: issuer, aud: 'weft', sub: user.identityId, exp: Math.floor(Date.now() / 1_000) + 600 }
const good = idp.token(claims)

async function status(...lines: readonly string[]): Promise<number> {
  const answer = await controller.ask({ path: '/identities', token: user.token, headers: { authorization: lines } })
  return answer.status
}

describe('a second token that the policy asks for', () => {
  test('must come with every request', async () => {
    assert.equal(await status(), 401)
    assert.equal(await status(`Bearer ${good}`), 200)
    assert.equal(await status(), 401)
  })

  test('may stand in any of three lines of its own', async () => {
    assert.equal(await status('Bearer one', 'Bearer two', `Bearer ${good}`), 200)
    assert.equal(await status('Bearer one', 'Bearer two', 'Bearer three', `Bearer ${good}`), 401)
    assert.equal(await status(`Bearer one, Bearer ${good}`), 401)
  })

  test('is introduced by the very word Bearer', async () => {
    for (const word of ['bearer', 'BEARER', 'Token']) assert.equal(await status(`${word} ${good}`), 401)
  })

  test('must name the identity of the session', async () => {
    assert.equal(await status(`Bearer ${idp.token({ ...claims, sub: other.identityId })}`), 401)
  })

  test('must be valid', async () => {
    assert.equal(await status(`Bearer ${idp.token({ ...claims, exp: 1 })}`), 401)
    assert.equal(await status(`Bearer ${idp.token({ ...claims, aud: 'others' })}`), 401)
    assert.equal(await status(`Bearer ${TokenIssuer.ec().token(claims)}`), 401)
  })

  test('does not bring a session back that has ended', async () => {
    const { token } = (await login(controller, user.username, user.password)).json.data
    const ask = () => controller.ask({ path: '/identities', token, headers: { authorization: [`Bearer ${good}`] } })
    assert.equal((await ask()).status, 200)
    await controller.ask({ method: 'DELETE', path: '/current-api-session', token })
    assert.equal((await ask()).status, 401)
  })

  test('answers what is outstanding', async () => {
    const queries = async (headers: Record<string, readonly string[]>) => {
      const { json } = await controller.ask({ path: '/current-api-session', token: user.token, headers })
      return json.data.authQueries.length
    }
    assert.equal(await queries({}), 1)
    assert.equal(await queries({ authorization: [`Bearer ${good}`] }), 0)
  })

  test('alone is no session', async () => {
    const { status, json } = await controller.ask({ path: '/identities', headers: { authorization: `Bearer ${good}` } })
    assert.deepEqual([status, json.error.code], [401, 'UNAUTHORIZED'])
  })
})

test('bearer tokens are taken without what surrounds them', () => {
  const headerLines = () => ['Basic abc', 'Bearer  one ', 'Bearer two', 'Bearer three', 'Bearer four']
  assert.deepEqual(bearerTokens({ headerLines }), ['one', 'two', 'three'])
})
