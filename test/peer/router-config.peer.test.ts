/**
 * Configuration files between the programs: what the stock generator writes starts ours, what ours writes is taken by
 * the stock router, and a router enrolled by one is set up for the other. Run by `npm run test:peer`.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { loadIdentitySection } from '@weft/pki'
import { loadRouterConfig, readEndpointsFile } from '@weft/router'
import { startEnrollmentServer } from '../../packages/pki/testing/enrollment-server.ts'
import { runWeft } from '../kit/controller-process.ts'
import { temporaryFolder } from '../kit/temporary-folder.ts'

const execute = promisify(execFile)

async function peer(home: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, ZITI_HOME: home, ZITI_CTRL_ADVERTISED_ADDRESS: '127.0.0.1' }
  const { stdout, stderr } = await execute(process.env['ZITI_BIN']!, args, { cwd: home, env, timeout: 60_000 })
  return stdout + stderr
}

/** The configuration, and what it warns about, by key. */
function load(file: string) {
  const { config, warnings } = loadRouterConfig(file, {})
  return { config, warned: warnings.map(({ path }) => path.split('.').at(-1)) }
}

async function checkIdentity(file: string): Promise<void> {
  const { identity } = loadRouterConfig(file, {}).config
  const section = { cert: identity.cert, key: identity.key, server_cert: identity.serverCert, ca: identity.ca }
  const { problems } = await loadIdentitySection(section, { baseDirectory: '/', clock: Date })
  assert.deepEqual(problems, [])
}

for (const [kind, ...flags] of [
  ['edge'],
  ['edge', '--wss'],
  ['edge', '--private', '--tunnelerMode', 'none'],
  ['edge', '--tunnelerMode', 'tproxy', '--lanInterface', 'eth0'],
  ['edge', '--tunnelerMode', 'proxy'],
  ['fabric'],
] as const) {
  test(`what the stock generator writes for ${kind} ${flags.join(' ')} is taken and enrolled`, async () => {
    await using folder = await temporaryFolder('stock-config')
    await using server = await startEnrollmentServer()
    const file = join(folder.path, 'r1.yml')
    await peer(folder.path, 'create', 'config', 'router', kind, '-n', 'r1', '-o', file, ...flags)
    const { config, warned } = load(file)
    assert.deepEqual(warned, kind === 'edge' ? ['getSessionTimeout'] : [])
    assert.equal(config.edge !== undefined, kind === 'edge')
    assert.ok((config.csr?.sans.dns.length ?? 0) > 0)
    await writeFile(join(folder.path, 'r1.jwt'), server.invitation('erott'))
    await using child = runWeft(['router', 'enroll', file, '-j', join(folder.path, 'r1.jwt')])
    assert.equal((await child.ended).code, 0, child.stderr)
    await checkIdentity(file)
  })
}

test('the stock router enrolls with what ours writes, and leaves what ours reads', async () => {
  await using folder = await temporaryFolder('our-config')
  await using server = await startEnrollmentServer()
  for (const [name, ...flags] of [
    ['r1'],
    ['r2', '--wss'],
    ['r3', '--fabric'],
    ['r4', '--private', '--tunnel', 'proxy'],
  ]) {
    const home = join(folder.path, name!)
    const file = join(folder.path, `${name}.yml`)
    await using child = runWeft(['router', 'config', name!, '-o', file, '--host', 'localhost', ...flags])
    assert.equal((await child.ended).code, 0, child.stderr)
    await writeFile(`${home}.jwt`, server.invitation('erott'))
    const said = await peer(folder.path, 'router', 'enroll', file, '-j', `${home}.jwt`)
    assert.doesNotMatch(said, /panic/, said)
    await checkIdentity(file)
    const kept = join(folder.path, 'endpoints.yml')
    assert.ok(readEndpointsFile(kept).length > 0, await readFile(kept, 'utf8'))
  }
})
