/** `weft start` from its first line to its last: what it prints works, what it made it finds again, and it ends when told. */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { ApiClient, managementApi } from './kit/api-client.ts'
import { Child } from './kit/child-process.ts'
import { admin, ControllerProcess, repository, spawnStart } from './kit/controller-process.ts'
import { freePort } from './kit/free-port.ts'
import { slack, until } from './kit/patience.ts'
import { RawConnection } from './kit/raw-connection.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'

const limits = { timeout: 60_000 }
const isWindows = process.platform === 'win32'
const isIpv6 = ({ family }: { readonly family: string }) => family === 'IPv6'
const noIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((address) => isIpv6(address!))
  ? false
  : 'no IPv6 here'
const withCurl = { ...limits, skip: hasCurl() ? false : 'there is no curl here' }

/** The commands that the start prints, from the first to the last line of them. */
function printedCommands(stdout: string): string {
  const [, commands] = /another terminal:\n\n([\s\S]*?)\n\nCtrl-C/.exec(stdout) ?? []
  assert.ok(commands, stdout)
  return commands
}

/** Runs commands as they are, each on a line, and answers what each printed. */
async function runPrinted(commands: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', commands], { env: { ...process.env, ...env } })
  return stdout
}

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('the first start', () => {
  test('shows a password of its own, and commands that work as printed', withCurl, async () => {
    await using controller = await ControllerProcess.start({ password: null })
    const { stdout } = controller.child
    const [, password] = /^ {2}password {2}(\S{12,}) +\(shown this once\)$/m.exec(stdout) ?? []
    assert.ok(password, stdout)
    assert.match(stdout, /^ {2}username {2}admin$/m)
    assert.match(stdout, new RegExp(`^ {2}address +https://127\\.0\\.0\\.1:${controller.port}$`, 'm'))
    assert.ok(stdout.includes(controller.home))
    assert.equal(printedCommands(stdout).split('\n').length, 3)
    const said = await runPrinted(printedCommands(stdout))
    const [version, identities] = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(version.data.version, 'v2.1.0')
    assert.equal(identities.data[0].isDefaultAdmin, true)
    assert.equal(controller.child.stderr, '')
  })

  test('prints working commands for a password and a home full of quotes', withCurl, async () => {
    await using folder = await temporaryFolder('odd')
    const home = join(folder.path, "it's my home")
    const password = `don't "quote" $me \\ #`
    await using controller = await ControllerProcess.start({ home, password })
    const said = await runPrinted(printedCommands(controller.child.stdout))
    assert.match(said, /"isDefaultAdmin":true/)
  })

  const refused: [what: string, flags: string[], why: RegExp][] = [
    ['a password that is too short', ['--password', 'four'], /password needs 5 to 100 characters/],
    ['a user name that is too short', ['--username', 'abc'], /user name needs 4 to 100 characters/],
    ['a port that is none', ['--port', '70000'], /wanted 1 to 65535/],
    ['a home that its file cannot name', ['--home', join(tmpdir(), '$HOME')], /\$ in its path/],
  ]
  for (const [what, flags, why] of refused) {
    test(`refuses ${what} before it makes anything`, limits, async () => {
      await using folder = await temporaryFolder('refused')
      const home = join(folder.path, 'home')
      await using child = spawnStart(home, await freePort(), { flags })
      assert.deepEqual(await child.ended, { code: 1, signal: null })
      assert.match(child.stderr, why)
      assert.doesNotMatch(child.stderr, /four/)
      assert.deepEqual(await readdir(folder.path), [])
    })
  }

  test('on an IPv6 address prints and serves that', { ...withCurl, skip: withCurl.skip || noIpv6 }, async () => {
    await using controller = await ControllerProcess.start({ flags: ['--address', '::1'] })
    assert.equal(controller.url, `https://[::1]:${controller.port}`)
    const said = await runPrinted(printedCommands(controller.child.stdout))
    assert.match(said, /"isDefaultAdmin":true/)
    assert.ok(said.includes(`${controller.url}/edge/client/v1`), 'clients are told another address')
  })

  test('keeps what it makes to its user', { ...limits, skip: isWindows }, async () => {
    await using folder = await temporaryFolder('modes')
    const home = join(folder.path, 'home')
    {
      await using controller = await ControllerProcess.start({ home })
      using client = await ApiClient.login(controller)
      await client.post('/database/snapshot')
    }
    assert.equal(await modeOf(home), 0o700)
    assert.equal(await modeOf(join(home, 'pki')), 0o700)
    const files = await readdir(home, { recursive: true, withFileTypes: true })
    const isPublic = /\.(cert|pem)$/
    const secret = files.filter((file) => file.isFile() && !isPublic.test(file.name))
    assert.ok(secret.length >= 8, secret.map(({ name }) => name).join(' '))
    for (const { parentPath, name } of secret) assert.equal(await modeOf(join(parentPath, name)), 0o600, name)
  })
})

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

describe('the second start', () => {
  test('finds everything again and shows no password', withCurl, async () => {
    await using folder = await temporaryFolder('again')
    const home = join(folder.path, 'home')
    const first = await firstStart(home)
    // Without credentials: the administrator's name is known from the first time.
    await using controller = await ControllerProcess.start({ home, port: first.port, password: null })
    const { stdout } = controller.child
    assert.doesNotMatch(stdout, /password {2}|shown this once/)
    assert.ok(!stdout.includes(admin.password))
    assert.match(stdout, /^ {2}username {2}superuser$/m)
    const commands = printedCommands(stdout)
    const said = await runPrinted(commands, { WEFT_PASSWORD: admin.password })
    assert.match(said, /"kept identity"/)
    assert.deepEqual(await contentsOf(join(home, 'pki')), first.pki)
  })

  test('of a home that is in use is refused, naming the process, and changes nothing there', limits, async () => {
    await using controller = await ControllerProcess.start()
    const kept = () =>
      Promise.all(['controller.yml', 'place.json'].map((name) => readFile(join(controller.home, name))))
    const names = () => readdir(controller.home).then((all) => all.filter((name) => !name.includes('.db')).sort())
    const before = [await kept(), await names()]
    await using second = spawnStart(controller.home, controller.port + 1, {})
    assert.deepEqual(await second.ended, { code: 1, signal: null })
    assert.match(second.stderr, new RegExp(`in use by process ${controller.pid}\\b`))
    assert.equal(second.stderr.trimEnd().split('\n').length, 1, second.stderr)
    assert.deepEqual([await kept(), await names()], before)
  })
})

async function firstStart(home: string) {
  await using controller = await ControllerProcess.start({ home, flags: ['--username', 'superuser'] })
  using client = await ApiClient.login(controller, { ...admin, username: 'superuser' })
  await client.create('identities', { name: 'kept identity', type: 'User', isAdmin: false })
  return { port: controller.port, pki: await contentsOf(join(home, 'pki')) }
}

async function contentsOf(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder)
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])),
  )
}

test('two first starts at once make one network', limits, async () => {
  await using folder = await temporaryFolder('twice')
  const home = join(folder.path, 'home')
  const ports = [await freePort(), await freePort()]
  await using one = spawnStart(home, ports[0]!, {})
  await using other = spawnStart(home, ports[1]!, {})
  const isDecided = () => [one, other].filter(({ hasEnded }) => hasEnded).length === 1 && [one, other]
  const both = await until('one of them gives up', isDecided)
  const winner = both.find(({ hasEnded }) => !hasEnded)!
  const loser = both.find(({ hasEnded }) => hasEnded)!
  assert.equal((await loser.ended).code, 1)
  assert.match(loser.stderr, /^weft: .*(in use|being made|at the same time)/m)
  await until('the other runs', () => winner.stdout.includes('Ctrl-C stops it.'))
  await winner.stop()
  await using controller = await ControllerProcess.start({ home })
  using client = await ApiClient.login(controller)
  assert.equal((await client.list('/identities', 'isDefaultAdmin = true')).length, 1)
})

describe('a port that is taken', () => {
  test('is explained: who has it, and which flag chooses another', limits, async () => {
    await using controller = await ControllerProcess.start()
    await using folder = await temporaryFolder('busy')
    await using second = spawnStart(join(folder.path, 'home'), controller.port, {})
    assert.deepEqual(await second.ended, { code: 1, signal: null })
    assert.match(second.stderr, new RegExp(`port ${controller.port} is in use`))
    if (process.platform === 'linux') assert.match(second.stderr, new RegExp(`process ${controller.pid}\\b`))
    assert.match(second.stderr, new RegExp(`--port ${controller.port + 1}\\b`))
    assert.ok(!second.stderr.includes(admin.password), 'the command line of the other process holds a password')
    assert.equal(second.stdout, '')
  })
})

describe('the end', () => {
  test('comes with Ctrl-C through the launcher, too', { ...limits, skip: isWindows }, async () => {
    await using folder = await temporaryFolder('launched')
    const flags = ['start', '--home', join(folder.path, 'home'), '--port', `${await freePort()}`]
    await using child = new Child(process.execPath, [join(repository, 'weft'), ...flags])
    await until('it runs', () => child.hasEnded || child.stdout.includes('Ctrl-C stops it.'))
    const { code, milliseconds } = await child.stop('SIGINT')
    assert.equal(code, 0, child.stderr)
    assert.ok(milliseconds < Math.max(2_000, 1_000 * slack), `it took ${Math.round(milliseconds)} ms`)
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`comes within two seconds of ${signal}, whoever is connected`, { ...limits, skip: isWindows }, async () => {
      await using controller = await ControllerProcess.start()
      using client = await ApiClient.login(controller)
      using silent = await RawConnection.open(controller)
      using slow = await RawConnection.open(controller)
      const head = `POST ${managementApi}/services HTTP/1.1\r\nhost: x\r\nzt-session: ${client.token}\r\n`
      slow.write(`${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{`)
      const work = keepCreating(client)
      await client.get('/version')
      const { code, milliseconds } = await controller.child.stop(signal)
      assert.equal(code, 0, controller.child.stderr)
      assert.ok(milliseconds < Math.max(2_000, 1_000 * slack), `it took ${Math.round(milliseconds)} ms`)
      const made = await work
      assert.ok(silent.isClosed)
      await using again = await ControllerProcess.start({ home: controller.home, port: controller.port })
      using later = new ApiClient(again, { token: client.token! })
      const found = new Set((await later.list('/services')).map(({ name }) => name))
      assert.deepEqual(
        made.filter((name) => !found.has(name)),
        [],
        'answered, but lost',
      )
    })
  }
})

/** Creates services until the connection ends; answers the names of those that were answered. */
async function keepCreating(client: ApiClient): Promise<string[]> {
  const made: string[] = []
  for (let at = 0; ; at++) {
    const name = `service-${at}`
    const reply = await client.post('/services', { name, encryptionRequired: true }).catch(() => undefined)
    if (reply?.status !== 201) return made
    made.push(name)
  }
}
