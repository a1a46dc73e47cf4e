/** The stock CLI hands out invitations, sets passwords and takes credentials back. */
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import test, { after } from 'node:test'
import { ApiClient } from '../kit/api-client.ts'
import { readTable } from './cli-table.ts'
import { readToken } from './enrollment-token.ts'
import type { Json } from './peer-cli.ts'
import { PeerNetwork } from './peer-network.ts'

const network = await PeerNetwork.start()
after(() => network[Symbol.asyncDispose]())
const { cli, controller } = network
const { url } = controller

for (const { method, words } of [
  { method: 'ott', words: ['identity'] },
  { method: 'updb', words: ['identity'] },
  { method: 'erott', words: ['edge-router'] },
  { method: 'trott', words: ['transit-router'] },
] as const) {
  test(`writes the invitation of a new ${words[0]} (${method}) into a file`, async () => {
    const name = `invited-${method}`
    const file = `${name}.jwt`
    const flags = method === 'updb' ? ['--updb', `${name}-user`] : []
    const said = await cli.says('edge', 'create', ...words, name, ...flags, '-o', file)
    const id = /created with id: (\S+)/.exec(said)![1]!
    assert.equal((await stat(network.path(file))).mode & 0o077, 0)
    const claims = await readToken(await network.read(file), controller)
    assert.partialDeepStrictEqual(claims, { iss: url, sub: id, em: method })
    assert.ok(claims.exp! > Date.now() / 1_000)
  })
}

test('invites an edge router again', async () => {
  await cli.says('edge', 'create', 'edge-router', 'again', '-o', 'again-1.jwt')
  const first = await readToken(await network.read('again-1.jwt'), controller)
  await cli.says('edge', 're-enroll', 'edge-router', 'again', '-o', 'again-2.jwt')
  const second = await readToken(await network.read('again-2.jwt'), controller)
  assert.deepEqual([second.sub, second.em], [first.sub, 'erott'])
  assert.notEqual(second.jti, first.jti)
  await cli.says('edge', 're-enroll', 'edge-router', 'again')
  assert.match(await cli.refuses('edge', 're-enroll', 'edge-router', 'missing'), /no edge-routers found/)
})

test('invites an identity that exists, by every method', async () => {
  const ca = await network.makeCa('invites', '--curve', 'P256')
  await cli.says('edge', 'create', 'ca', 'invites', ca.cert, '-o')
  await cli.says('edge', 'create', 'identity', 'guest', '--updb', 'guest-user')
  const id = await cli.idOf('identities', 'guest')

  const ott = await cli.says('edge', 'create', 'enrollment', 'ott', 'guest', '-d', '10', '-o', 'guest.jwt')
  assert.match(ott, /^\S+\nEnrollment expires at \d{4}-/)
  const claims = await readToken(await network.read('guest.jwt'), controller)
  assert.partialDeepStrictEqual(claims, { sub: id, em: 'ott' })
  assert.ok(Math.abs(claims.exp! - Date.now() / 1_000 - 600) < 60, 'not ten minutes')

  const ottca = (await cli.says('edge', 'create', 'enrollment', 'ottca', 'guest', 'invites', '-d', '9')).trim()
  assert.match(await cli.refuses('edge', 'create', 'enrollment', 'ott', 'guest'), /ENROLLMENT_EXISTS/)
  assert.match(await cli.refuses('edge', 'create', 'enrollment', 'updb', 'guest', 'guest-2'), /ENROLLMENT_EXISTS/)
  await cli.says('edge', 'create', 'identity', 'other')
  await cli.says('edge', 'create', 'enrollment', 'updb', 'other', 'other-user', '-d', '5')

  const methods = async (name: string) =>
    (await cli.list('enrollments'))
      .filter(({ identity }) => (identity as Json | null)?.['name'] === name)
      .map(({ method }) => method)
      .sort()
  assert.deepEqual(await methods('guest'), ['ott', 'ottca', 'updb'])
  assert.deepEqual(await methods('other'), ['ott', 'updb'])
  const row = readTable(await cli.says('edge', 'list', 'enrollments', 'true limit none')).find(({ ID }) => ID === ottca)
  assert.partialDeepStrictEqual(row, { METHOD: 'ottca', 'IDENTITY ID': id, 'IDENTITY NAME': 'guest' })

  assert.equal(await cli.says('edge', 'delete', 'enrollment', ottca), `delete of enrollment with id ${ottca}: OK\n`)
  assert.deepEqual(await methods('guest'), ['ott', 'updb'])
  await cli.says('edge', 'delete', 'enrollments', 'where', `identity = "${id}"`)
  assert.deepEqual(await methods('guest'), [])
})

test('gives an identity a password, changes it and takes it away', async () => {
  const login = (password: string) => ['edge', 'login', url, '-u', 'worker', '-p', password, '-y', '-i', 'worker']
  await cli.says('edge', 'create', 'identity', 'worker')
  await cli.says('edge', 'create', 'authenticator', 'updb', 'worker', 'worker', 'password-1')
  assert.match(
    await cli.refuses('edge', 'create', 'authenticator', 'updb', 'worker', 'worker', 'password-1'),
    /already exists/,
  )
  await cli.says(...login('password-1'))

  await cli.says('edge', 'update', 'authenticator', 'updb', '--identity', 'worker', '-p', 'password-2')
  await cli.refuses(...login('password-1'))
  await cli.says(...login('password-2'))
  assert.match(await cli.refuses('edge', 'list', 'identities', '-i', 'worker'), /not authorized/)

  await cli.says('edge', 'use', 'worker')
  const own = ['edge', 'update', 'authenticator', 'updb', '--self']
  assert.notEqual((await cli.run(...own, '-c', 'password-1', '-n', 'password-3')).status, 0)
  await cli.says(...own, '-c', 'password-2', '-n', 'password-3')
  await cli.says('edge', 'use', 'default')
  await cli.says(...login('password-3'))

  const table = readTable(await cli.says('edge', 'list', 'authenticators', 'updbUsername = "worker"'))
  assert.partialDeepStrictEqual(table, [{ METHOD: 'updb', 'IDENTITY NAME': 'worker', 'UNAME/PRINT': 'worker' }])
  const [shown] = await cli.list('authenticators', 'updbUsername = "worker"')
  assert.partialDeepStrictEqual(shown, { method: 'updb', username: 'worker' })
  assert.doesNotMatch(JSON.stringify(shown), /password|salt/i)

  await cli.says('edge', 'delete', 'authenticator', table[0]!['ID']!)
  await cli.refuses(...login('password-3'))
})

test('lets an identity do what its permissions say, and no more', async () => {
  await cli.says('edge', 'create', 'identity', 'clerk', '--permissions', 'service,identity.read')
  await cli.says('edge', 'create', 'authenticator', 'updb', 'clerk', 'clerk', 'password-1')
  await cli.says('edge', 'login', url, '-u', 'clerk', '-p', 'password-1', '-y', '-i', 'clerk')
  const asClerk = ['-i', 'clerk']
  await cli.says('edge', 'list', 'identities', ...asClerk)
  await cli.says('edge', 'create', 'service', 'desk', ...asClerk)
  await cli.says('edge', 'update', 'service', 'desk', '-a', 'open', ...asClerk)
  for (const words of [
    ['create', 'identity', 'friend'],
    ['update', 'identity', 'clerk', '--permissions', 'admin_readonly'],
    ['delete', 'identity', 'admin'],
    ['list', 'edge-routers'],
  ])
    assert.match(await cli.refuses('edge', ...words, ...asClerk), /not authorized|UNAUTHORIZED/, words.join(' '))
  await cli.says('edge', 'delete', 'service', 'desk', ...asClerk)
  assert.deepEqual(await cli.list('identities', 'name = "friend"'), [])
  assert.partialDeepStrictEqual(await cli.named('identities', 'clerk'), { permissions: ['identity.read', 'service'] })
})

test('is told that a certificate is not there', async () => {
  for (const flag of ['--request-extend', '--request-key-roll', '--re-enroll'])
    assert.match(await cli.refuses('edge', 'update', 'authenticator', 'cert', 'missing', flag), /NOT_FOUND/)
})

test('sees sessions and ends them', async () => {
  await cli.says('edge', 'create', 'identity', 'visitor')
  await cli.says('edge', 'create', 'authenticator', 'updb', 'visitor', 'visitor', 'password-1')
  using visitor = await ApiClient.login(controller, { username: 'visitor', password: 'password-1' })
  const id = await cli.idOf('identities', 'visitor')
  const sessions = await cli.list('api-sessions', `identity = "${id}"`)
  assert.equal(sessions.length, 1)
  const table = readTable(await cli.says('edge', 'list', 'api-sessions', `identity = "${id}"`))
  assert.partialDeepStrictEqual(table, [{ ID: String(sessions[0]!['id']), 'IDENTITY NAME': 'visitor' }])
  await cli.says('edge', 'delete', 'api-session', table[0]!['ID']!)
  assert.deepEqual(await cli.list('api-sessions', `identity = "${id}"`), [])
  assert.equal((await visitor.get('/current-identity')).status, 401)
  assert.match(await cli.refuses('edge', 'delete', 'api-session', 'missing'), /404.*NOT_FOUND/)
  assert.match(await cli.says('edge', 'list', 'sessions'), /^results: none$/m)
  assert.deepEqual(await cli.list('sessions'), [])
  assert.match(await cli.refuses('edge', 'delete', 'session', 'missing'), /404.*NOT_FOUND/)
})

test('revokes tokens of an identity, of a session, and one', async () => {
  await cli.says('edge', 'create', 'identity', 'revoked')
  const [session, token] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
  const wanted = { IDENTITY: await cli.idOf('identities', 'revoked'), API_SESSION: session, JTI: token }
  for (const [type, id] of Object.entries(wanted)) {
    const word = type.toLowerCase().replace('_', '-')
    assert.equal((await cli.says('edge', 'create', 'revocation', word, id)).trim(), id)
  }
  // A password that was changed has revoked tokens too.
  const shown = (await cli.list('revocations')).filter(({ id }) => Object.values(wanted).includes(String(id)))
  assert.deepEqual(Object.fromEntries(shown.map(({ type, id }) => [type, id])), wanted)
  const table = readTable(await cli.says('edge', 'list', 'revocations', 'true limit none'))
  assert.deepEqual(new Set(table.map(({ TYPE }) => TYPE)), new Set(Object.keys(wanted)))
})
