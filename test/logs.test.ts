/** Logs, events and the journal: what an operator is told, in which form, and that no secret is in any of it. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { ApiClient, type Json } from './kit/api-client.ts'
import { admin, ControllerProcess, runWeft } from './kit/controller-process.ts'
import { initialised } from './kit/initialised.ts'
import { until } from './kit/patience.ts'
import { exchange } from './kit/raw-connection.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'

const limits = { timeout: 60_000 }
const isWindows = process.platform === 'win32'

function jsonLines(text: string): Json[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('logs', () => {
  test('are JSON when told to, a line per request with the id that the client was given', limits, async () => {
    await using controller = await ControllerProcess.start({ flags: ['--log-level', 'debug', '--log-format', 'json'] })
    using client = new ApiClient(controller)
    const { body } = await client.get('/identities')
    const { requestId } = body!.error!
    const line = await until('the line of the request', () =>
      jsonLines(controller.child.stderr).find((record) => record['requestId'] === requestId),
    )
    assert.equal(line['level'], 'debug')
    assert.match(String(line['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.partialDeepStrictEqual(line, { method: 'GET', path: '/identities', status: 401 })
    const aboutRequests = jsonLines(controller.child.stderr).filter(({ path }) => path !== undefined)
    for (const record of aboutRequests) assert.match(String(record['requestId']), /^[\w.-]{10}$/)
  })

  test('are text when told to', limits, async () => {
    await using controller = await ControllerProcess.start({ flags: ['--log-level', 'debug', '--log-format', 'text'] })
    using client = new ApiClient(controller)
    await client.get('/identities')
    const line = await until('a line', () =>
      controller.child.stderr.split('\n').find((text) => text.includes('/identities')),
    )
    assert.match(line, /^\d{4}-\d\d-\d\dT\S+Z DEBUG .*requestId=\S{10}/)
  })

  test('of a line that a client tries to forge stay one line', limits, async () => {
    await using controller = await ControllerProcess.start({ flags: ['--log-level', 'debug', '--log-format', 'text'] })
    await exchange(
      controller,
      'GET /edge/management/v1/identities/%0aERROR%20forged%1b[31m HTTP/1.1\r\nhost: x\r\n\r\n',
    )
    await until('the line', () => controller.child.stderr.includes('forged'))
    assert.doesNotMatch(controller.child.stderr, /^\W*ERROR forged/m)
    assert.ok(!controller.child.stderr.includes('\u001b'))
  })

  test('say nothing of a quiet day by default', limits, async () => {
    await using controller = await ControllerProcess.start()
    using client = await ApiClient.login(controller)
    await client.get('/identities/nobody')
    await client.post('/services', { name: 5 })
    await controller.child.stop()
    assert.equal(controller.child.stderr, '')
  })

  test('become more detailed while it runs', { ...limits, skip: isWindows }, async () => {
    await using controller = await ControllerProcess.start({ flags: ['--log-format', 'json'] })
    using client = new ApiClient(controller)
    await client.get('/version')
    assert.equal(controller.child.stderr, '')
    controller.child.signal('SIGUSR2')
    await until('the change is told', () => controller.child.stderr.includes('log level changed'))
    await client.get('/version')
    await until('a line of a request', () => controller.child.stderr.includes('/version'))
  })

  test('refuse a level that does not exist', limits, async () => {
    for (const flags of [
      ['--log-level', 'loud'],
      ['--log-format', 'xml'],
    ]) {
      await using child = runWeft(['start', '--home', '/nonexistent/weft', ...flags])
      assert.equal((await child.ended).code, 1)
      assert.match(child.stderr, /wanted (trace|text)/)
    }
  })
})

test('no secret is in the logs, the events, the journal or what is printed', { timeout: 100_000 }, async () => {
  await using folder = await temporaryFolder('secrets')
  const eventFile = join(folder.path, 'events.json')
  const namespaces = ['entityChange', 'apiSession', 'session', 'authentication', 'connect', 'entityCount']
  const sections = `events:
  everything:
    subscriptions:
${namespaces.map((type) => `      - type: ${type}`).join('\n')}
    handler: { type: file, format: json, path: ${eventFile} }`
  const configuration = await initialised(folder.path, { sections })
  await using controller = await ControllerProcess.run(configuration, {
    flags: ['--log-level', 'trace', '--log-format', 'json'],
  })
  using client = await ApiClient.login(controller)
  const secrets = await useSecrets(client, controller)
  await client.delete('/current-api-session')
  await controller.child.stop()

  const places = {
    'the log': controller.child.stderr,
    'the standard output': controller.child.stdout,
    'the events': await readFile(eventFile, 'utf8'),
    'the journal': journalOf(configuration.database),
  }
  assert.ok(places['the log'].includes('request answered'), 'the log has no requests')
  assert.match(places['the events'], /"namespace":"authentication"/)
  assert.match(places['the events'], /"namespace":"entityChange"/)
  assert.match(places['the journal'], /authenticators/)
  for (const [what, secret] of Object.entries(secrets)) {
    assert.ok(secret.length >= 6, `${what} is no secret: ${secret}`)
    for (const [place, text] of Object.entries(places)) {
      assert.ok(!text.includes(secret), `${what} is in ${place}: ${around(text, secret)}`)
    }
  }
})

/** Goes through everything that takes or gives a secret; answers all of them by what they are. */
async function useSecrets(client: ApiClient, controller: ControllerProcess): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {
    'a session token': client.token!,
    'the password of the admin': admin.password,
  }
  using anonymous = new ApiClient(controller)
  const wrong = 'wrong-password-77'
  secrets['a wrong password'] = wrong
  await anonymous.post('/authenticate?method=password', { username: admin.username, password: wrong })
  await anonymous.post('/authenticate?method=password', `{"username":"admin","password":"${wrong}"`)
  await anonymous.post('/authenticate?method=password', { username: 'admin', password: [wrong] })

  const bearer = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJzZWNyZXQtc3ViamVjdCJ9.c2VjcmV0LXNpZ25hdHVyZQ'
  secrets['a bearer token'] = bearer
  await anonymous.request('GET', '/identities', undefined, { authorization: `Bearer ${bearer}` })
  const bogus = 'b0b0b0b0-1111-4222-8333-444455556666'
  secrets['a token of nobody'] = bogus
  await anonymous.request('GET', '/identities', undefined, { 'zt-session': bogus })

  const id = await client.create('identities', {
    name: 'alice',
    type: 'User',
    isAdmin: false,
    enrollment: { ott: true },
  })
  const identity = (await client.detail(`/identities/${id}`)) as { enrollment: { ott: { token: string; jwt: string } } }
  secrets['an enrollment token'] = identity.enrollment.ott.token
  secrets['an enrollment JWT'] = identity.enrollment.ott.jwt.split('.')[2]!
  const routerId = await client.create('edge-routers', { name: 'router' })
  const router = (await client.detail(`/edge-routers/${routerId}`)) as {
    enrollmentToken: string
    enrollmentJwt: string
  }
  secrets['a router enrollment token'] = router.enrollmentToken
  secrets['a router enrollment JWT'] = router.enrollmentJwt.split('.')[2]!

  const credentials = { username: 'alice', password: 'alice-first-password' }
  const authenticatorId = await client.create('authenticators', { method: 'updb', identityId: id, ...credentials })
  secrets['a password given by the admin'] = credentials.password
  const second = 'alice-second-password'
  secrets['a changed password'] = second
  assert.equal(
    (await client.put(`/authenticators/${authenticatorId}`, { ...credentials, password: second })).status,
    200,
  )
  await client.patch(`/authenticators/${authenticatorId}`, { password: `${second}!`, tags: { nested: { a: 1 } } })

  using alice = await ApiClient.login(controller, { username: 'alice', password: second })
  secrets["another's session token"] = alice.token!
  const own = `/current-identity/authenticators/${authenticatorId}`
  const third = 'alice-third-password'
  secrets['a password changed by its owner'] = third
  assert.equal((await alice.patch(own, { currentPassword: second, password: third })).status, 200)
  await alice.patch(own, { currentPassword: wrong, password: third })

  assert.equal((await alice.post('/current-identity/mfa')).status, 201)
  const mfa = (await alice.detail('/current-identity/mfa')) as { recoveryCodes: string[]; provisioningUrl: string }
  secrets['a recovery code'] = mfa.recoveryCodes[0]!
  secrets['a TOTP seed'] = new URL(mfa.provisioningUrl).searchParams.get('secret')!
  return secrets
}

function journalOf(file: string): string {
  using database = new DatabaseSync(file, { readOnly: true })
  const lines = database.prepare('SELECT tbl, id, cause, before, after FROM journal').all()
  return lines.map((line) => Object.values(line).join(' ')).join('\n')
}

function around(text: string, secret: string): string {
  const at = text.indexOf(secret)
  return text.slice(Math.max(0, at - 200), at + 40)
}
