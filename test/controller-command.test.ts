/** `weft controller init`, `run` and `restore`: an operator with a configuration file. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { ApiClient } from './kit/api-client.ts'
import { type Configuration, writeConfiguration } from './kit/configuration.ts'
import { admin, ControllerProcess, runWeft } from './kit/controller-process.ts'
import { freePort } from './kit/free-port.ts'
import { initialised } from './kit/initialised.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'

const limits = { timeout: 60_000 }
const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses!.some(({ family }) => family === 'IPv6'),
)
const withIpv6 = { ...limits, skip: hasIpv6 ? false : 'there is no IPv6 here' }

const { username, password } = admin

async function initialise({ file }: Configuration) {
  await using child = runWeft(['controller', 'init', file, '-u', username, '-p', password, '-n', 'The Admin'])
  const { code } = await child.ended
  return { code, stdout: child.stdout, stderr: child.stderr }
}

describe('controller init', () => {
  test('makes the administrator once', limits, async () => {
    await using folder = await temporaryFolder('init')
    const configuration = await writeConfiguration(folder.path)
    const first = await initialise(configuration)
    assert.equal(first.code, 0, first.stderr)
    assert.ok(!first.stdout.includes(password))
    const second = await initialise(configuration)
    assert.equal(second.code, 1)
    assert.match(second.stderr, /^weft: .*already has its default administrator$/m)
    await using controller = await ControllerProcess.run(configuration)
    using client = await ApiClient.login(controller)
    const [identity] = await client.list('/identities', 'isDefaultAdmin = true')
    assert.equal(identity?.['name'], 'The Admin')
  })

  test('is refused while the controller runs', limits, async () => {
    await using folder = await temporaryFolder('init')
    const configuration = await initialised(folder.path)
    await using controller = await ControllerProcess.run(configuration)
    const { code, stderr } = await initialise(configuration)
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`in use by process ${controller.pid}\\b`))
  })
})

describe('controller run', () => {
  test('shows every problem of its file at once, each with its place', limits, async () => {
    await using folder = await temporaryFolder('bad')
    const { file } = await writeConfiguration(folder.path)
    const text = await readFile(file, 'utf8')
    const bad = text
      .replace('v: 3', 'v: 3\nedgy: {}')
      .replace(/listener: .*/, 'listener: "tls:nowhere"')
      .replace('binding: edge-management', 'binding: edge-managment')
      .replace(/^db: .*$/m, 'db: 17')
    await writeFile(file, bad)
    await using child = runWeft(['controller', 'run', file])
    assert.deepEqual(await child.ended, { code: 1, signal: null })
    assert.match(child.stderr, /controller\.yml:\d+:\d+ +ctrl\.listener/)
    assert.match(child.stderr, /controller\.yml:\d+:\d+ +web\[0\]\.apis\[0\]\.binding.*/)
    assert.match(child.stderr, /controller\.yml:2:1 +edgy.*edge/)
    assert.doesNotMatch(child.stderr, /\bat .*\.ts:\d+/, 'a stack is for bugs')
  })

  const unreadable: [what: string, write: (file: string) => Promise<void>, why: RegExp][] = [
    ['that is not there', async () => {}, /no such file|does not exist|cannot be read/i],
    ['that is not YAML', (file) => writeFile(file, 'web: [\n  {"a": '), /:\d+:\d+/],
    ['that is empty', (file) => writeFile(file, ''), /required|empty|wanted/i],
  ]
  for (const [what, write, why] of unreadable) {
    test(`explains a file ${what}`, limits, async () => {
      await using folder = await temporaryFolder('bad')
      const file = join(folder.path, 'controller.yml')
      await write(file)
      await using child = runWeft(['controller', 'run', file])
      assert.deepEqual(await child.ended, { code: 1, signal: null })
      assert.match(child.stderr, why)
      assert.doesNotMatch(child.stderr, /\bat .*\.ts:\d+/, 'a stack is for bugs')
    })
  }

  test('names every certificate that it cannot use', limits, async () => {
    await using folder = await temporaryFolder('bad')
    const { file } = await writeConfiguration(folder.path)
    await writeFile(join(folder.path, 'pki', 'server.key'), 'not a key')
    await writeFile(join(folder.path, 'pki', 'client.chain.pem'), 'not a certificate')
    await using child = runWeft(['controller', 'run', file])
    assert.deepEqual(await child.ended, { code: 1, signal: null })
    assert.match(child.stderr, /identity\.server_key .*PEM/)
    assert.match(child.stderr, /identity\.cert .*PEM/)
  })

  test('of a database that a newer version wrote is refused, and changes nothing', limits, async () => {
    await using folder = await temporaryFolder('newer')
    const configuration = await initialised(folder.path)
    {
      using database = new DatabaseSync(configuration.database)
      database.exec('PRAGMA user_version = 99')
    }
    const before = await readFile(configuration.database)
    await using child = runWeft(['controller', 'run', configuration.file])
    assert.deepEqual(await child.ended, { code: 1, signal: null })
    assert.match(child.stderr, /^weft: .*schema version 99.*newer/m)
    assert.ok(before.equals(await readFile(configuration.database)))
  })

  test('of a file that is no database is refused, and changes nothing', limits, async () => {
    await using folder = await temporaryFolder('foreign')
    const configuration = await writeConfiguration(folder.path)
    await writeFile(configuration.database, 'my diary, not a database at all\n'.repeat(100))
    const before = await readFile(configuration.database)
    await using child = runWeft(['controller', 'run', configuration.file])
    assert.deepEqual(await child.ended, { code: 1, signal: null })
    assert.match(child.stderr, /^weft: .*controller\.db/m)
    assert.ok(before.equals(await readFile(configuration.database)))
  })
})

describe('bind points', () => {
  test('serve plain HTTP on loopback when told to, beside TLS', limits, async () => {
    await using folder = await temporaryFolder('plain')
    const port = await freePort()
    const bindPoints = [`interface: "127.0.0.1:${port}"`, `address: "127.0.0.1:${port}"`, 'plainHttp: true']
    const yaml = `      - ${bindPoints.join('\n        ')}`
    await using controller = await ControllerProcess.run(await initialised(folder.path, { bindPoints: yaml }))
    using plain = await ApiClient.login({ url: `http://127.0.0.1:${port}`, ca: controller.ca })
    assert.equal((await plain.get('/identities')).status, 200)
    using secure = await ApiClient.login(controller)
    assert.equal((await secure.get('/identities')).status, 200)
  })

  for (const host of ['0.0.0.0', '[::]', '192.0.2.7']) {
    test(`do not serve plain HTTP on ${host}`, limits, async () => {
      await using folder = await temporaryFolder('plain')
      const port = await freePort()
      const bindPoints = [`interface: "${host}:${port}"`, `address: "127.0.0.1:${port}"`, 'plainHttp: true']
      const { file } = await writeConfiguration(folder.path, { bindPoints: `      - ${bindPoints.join('\n        ')}` })
      await using child = runWeft(['controller', 'run', file])
      assert.deepEqual(await child.ended, { code: 1, signal: null })
      assert.match(child.stderr, /:\d+:\d+ +web\[0\]\.bindPoints\[1\]\.plainHttp .*loopback/)
    })
  }

  test('do not speak plain HTTP unless told to', limits, async () => {
    await using folder = await temporaryFolder('plain')
    await using controller = await ControllerProcess.run(await initialised(folder.path))
    await assert.rejects(fetch(controller.url.replace('https:', 'http:')))
  })

  test('listen on IPv6, and say so to clients', withIpv6, async () => {
    await using folder = await temporaryFolder('ipv6')
    await using controller = await ControllerProcess.run(await initialised(folder.path, { host: '::1' }))
    assert.match(controller.url, /^https:\/\/\[::1\]:\d+$/)
    using client = await ApiClient.login(controller)
    const { apiVersions } = (await client.detail('/version')) as { apiVersions: Record<string, { v1: Bases }> }
    assert.deepEqual(apiVersions['edge-client']?.v1.apiBaseUrls, [`${controller.url}/edge/client/v1`])
    const id = await client.create('identities', {
      name: 'six',
      type: 'User',
      isAdmin: false,
      enrollment: { ott: true },
    })
    const { enrollment } = (await client.detail(`/identities/${id}`)) as { enrollment: { ott: { jwt: string } } }
    const claims = JSON.parse(Buffer.from(enrollment.ott.jwt.split('.')[1]!, 'base64url').toString('utf8'))
    assert.equal(claims.iss, controller.url)
  })

  test('of every interface are reached by both families', withIpv6, async () => {
    await using folder = await temporaryFolder('ipv6')
    const port = await freePort()
    const configuration = await initialised(folder.path, { port, interface: `[::]:${port}` })
    await using controller = await ControllerProcess.run(configuration)
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) {
      using client = await ApiClient.login({ url: `https://${host}:${port}`, ca: controller.ca })
      assert.equal((await client.get('/services')).status, 200, host)
    }
  })
})

interface Bases {
  readonly apiBaseUrls: readonly string[]
}

describe('controller restore', () => {
  test('puts a snapshot back, on a new timeline, and keeps what was there', limits, async () => {
    await using folder = await temporaryFolder('restore')
    const configuration = await initialised(folder.path)
    const { file, database } = configuration
    let snapshot = ''
    {
      await using controller = await ControllerProcess.run(configuration)
      using client = await ApiClient.login(controller)
      await client.create('services', { name: 'before', encryptionRequired: true })
      assert.equal((await client.post('/database/snapshot')).status, 200)
      const again = await client.post('/database/snapshot')
      assert.equal(again.body?.error?.code, 'RATE_LIMITED')
      await client.create('services', { name: 'after', encryptionRequired: true })
      snapshot = await onlySnapshot(folder.path)
      await using tooEarly = runWeft(['controller', 'restore', snapshot, file])
      assert.equal((await tooEarly.ended).code, 1)
      assert.match(tooEarly.stderr, new RegExp(`in use by process ${controller.pid}\\b`))
    }
    const before = timelineOf(database)
    await using restore = runWeft(['controller', 'restore', snapshot, file])
    assert.equal((await restore.ended).code, 0, restore.stderr)
    assert.notEqual(timelineOf(database), before)
    const [, replaced] = /former database is (\S+)\.$/m.exec(restore.stdout) ?? []
    assert.equal(timelineOf(replaced!), before)
    await using controller = await ControllerProcess.run(configuration)
    using client = await ApiClient.login(controller)
    assert.deepEqual(
      (await client.list('/services')).map(({ name }) => name),
      ['before'],
    )
  })

  test('of what is no snapshot is refused, and changes nothing', limits, async () => {
    await using folder = await temporaryFolder('restore')
    const { file, database } = await initialised(folder.path)
    const before = timelineOf(database)
    const diary = join(folder.path, 'diary')
    await writeFile(diary, 'dear diary '.repeat(1_000))
    for (const wrong of [diary, join(folder.path, 'nothing')]) {
      await using restore = runWeft(['controller', 'restore', wrong, file])
      assert.equal((await restore.ended).code, 1)
      assert.match(restore.stderr, /^weft: /m)
    }
    assert.equal(timelineOf(database), before)
  })
})

async function onlySnapshot(folder: string): Promise<string> {
  const { glob } = await import('node:fs/promises')
  const found = await Array.fromAsync(glob('controller.db-2*', { cwd: folder }))
  assert.equal(found.length, 1, found.join(' '))
  return join(folder, found[0]!)
}

function timelineOf(file: string): unknown {
  using database = new DatabaseSync(file, { readOnly: true })
  return database.prepare("SELECT value FROM meta WHERE key = 'timeline'").get()?.['value']
}
