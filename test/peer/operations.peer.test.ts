/** The stock CLI looks after a network: counts, tokens, tracing, snapshots, integrity, and the controller's own file. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { until } from '../kit/patience.ts'
import { readTable } from './cli-table.ts'
import { readToken } from './enrollment-token.ts'
import { PeerNetwork } from './peer-network.ts'

const network = await PeerNetwork.start(build)
after(() => network[Symbol.asyncDispose]())
const { cli, controller } = network

test('counts what there is', async () => {
  const wanted = { identities: '2', services: '1', routers: '1', postureChecks: '1', controllers: '1', configs: '0' }
  const counts = readTable(await cli.says('edge', 'list', 'summary'))
  const shown = Object.fromEntries(counts.map((row) => [row['ENTITY TYPE'], row['COUNT']]))
  assert.partialDeepStrictEqual(shown, wanted)
  const { data } = await cli.json('edge', 'list', 'summary')
  assert.partialDeepStrictEqual(data, { identities: 2, services: 1, routers: 1 })
})

for (const [kind, attributes] of Object.entries({
  identity: ['i-1', 'i-2'],
  service: ['s-1'],
  'edge-router': ['r-1'],
  'posture-check': ['p-1'],
})) {
  test(`lists the role attributes of ${kind}`, async () => {
    const collection = `${kind}-role-attributes`
    const table = readTable(await cli.says('edge', 'list', collection))
    assert.deepEqual(
      table,
      attributes.map((attribute) => ({ 'ROLE ATTRIBUTE': attribute })),
    )
    const { data } = await cli.json('edge', 'list', collection)
    assert.deepEqual(data, attributes)
  })
}

test('lists the types of posture checks', async () => {
  const types = readTable(await cli.says('edge', 'list', 'posture-check-types')).map(({ ID }) => ID)
  assert.deepEqual(types, ['DOMAIN', 'MAC', 'OS', 'PROCESS', 'PROCESS_MULTI'])
})

test('lists the controller as the only one', async () => {
  const said = await cli.says('list', 'controllers')
  assert.equal(readTable(said).length, 1)
  assert.match(said, /true/)
})

test('writes the token of the network into a file', async () => {
  const said = await cli.says('edge', 'list', 'network-jwts')
  assert.match(said, /^default:\n\neyJ/)
  await cli.says('edge', 'list', 'network-jwts', '-o', 'network.jwt')
  const { iss, sub, em, exp } = await readToken(await network.read('network.jwt'), controller)
  assert.deepEqual(
    { iss, sub, em, exp },
    { iss: `${controller.url}/`, sub: `${controller.url}/`, em: 'network', exp: undefined },
  )
})

test('traces an identity', async () => {
  const id = await cli.idOf('identities', 'traced')
  const said = await cli.says('edge', 'trace', 'identity', 'traced', '-d', '5m', '--trace-id', 'mine')
  assert.match(said, new RegExp(`^tracing enabled for identity ${id} until \\S+ with id: mine$`, 'm'))
  const [, until = ''] = /until (\S+)/.exec(said)!
  assert.ok(Math.abs(Date.parse(until) - Date.now() - 300_000) < 60_000)
  await cli.says('edge', 'trace', 'identity', 'traced', 'selectPath')
  assert.match(await cli.refuses('edge', 'trace', 'identity', 'traced', '-d', 'soon'), /400/)
})

test('compares who may host services with who does', async () => {
  const said = await cli.says('edge', 'validate', 'service-hosting')
  assert.match(said, /^service 'counted' is not hostable by any identities$/m)
  const bind = ['service-policy', 'hosts', 'Bind', '--identity-roles', '#i-1', '--service-roles', '#s-1']
  await cli.says('edge', 'create', ...bind)
  const [service, identity] = [await cli.idOf('services', 'counted'), await cli.idOf('identities', 'traced')]
  const hosted = `service counted (${service}) hosted by traced (${identity}) with 0 terminators\n`
  assert.equal(await cli.says('edge', 'validate', 'service-hosting'), hosted)
})

test('looks at how an external signer is set up', async () => {
  const trusted = ['-u', 'https://idp.example/jwks', '-a', 'weft']
  await cli.says('edge', 'create', 'ext-jwt-signer', 'idp', 'https://idp.example', ...trusted)
  const verify = ['ops', 'verify', 'ext-jwt-signer', 'oidc', 'idp', '--controller-url', controller.url]
  const said = await cli.refuses(...verify, '--ca', network.caFile)
  assert.match(said, /found external JWT signer/)
  assert.match(said, /external JWT signer has no externalAuthURL configured/)
})

test('takes a snapshot of the database', async () => {
  const before = new Set(await readdir(controller.home))
  await cli.says('edge', 'db', 'snapshot')
  const added = (await readdir(controller.home)).filter((name) => !before.has(name))
  assert.equal(added.length, 1, `new files: ${added}`)
  assert.match(added[0]!, /^controller\.db/)
})

for (const flags of [[], ['-f']]) {
  test(`checks the integrity of the database ${flags.length > 0 ? 'and repairs it' : ''}`, async () => {
    assert.equal(await cli.says('edge', 'db', 'start-check-integrity', ...flags), 'check integrity operation started\n')
    await until('the check ends', async () => {
      const { data } = (await cli.json('edge', 'db', 'check-integrity-status')) as { data: { inProgress: boolean } }
      return !data.inProgress
    })
    const said = await cli.says('edge', 'db', 'check-integrity-status')
    assert.match(said, /^In Progress: false$/m)
    assert.match(said, new RegExp(`^Fixing Errors: ${flags.length > 0}$`, 'm'))
    assert.match(said, /^no data integrity errors found$/m)
  })
}

test("finds the controller's own file in order", async () => {
  const { status, stderr } = await cli.run('ops', 'verify', 'network', '-c', join(controller.home, 'controller.yml'))
  assert.equal(status, 0)
  assert.match(stderr, /All requested checks passed/)
})

/** One of each kind that has role attributes. */
async function build({ cli }: PeerNetwork): Promise<void> {
  await cli.says('edge', 'create', 'identity', 'traced', '-a', 'i-1,i-2')
  await cli.says('edge', 'create', 'service', 'counted', '-a', 's-1')
  await cli.says('edge', 'create', 'edge-router', 'router', '-a', 'r-1')
  await cli.says('edge', 'create', 'posture-check', 'domain', 'check', '-d', 'a.example', '-a', 'p-1')
}
