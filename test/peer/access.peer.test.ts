/** The stock CLI shows who reaches what: related entities, filters, services as others see them, and advice. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { readTable } from './cli-table.ts'
import type { Json } from './peer-cli.ts'
import { PeerNetwork } from './peer-network.ts'

const network = await PeerNetwork.start(build)
after(() => network[Symbol.asyncDispose]())
const { cli } = network

const related: readonly (readonly [path: string, names: readonly string[]])[] = [
  ['config-type configs port', ['config-1', 'config-2']],
  ['config services config-1', ['web']],
  ['service configs web', ['config-1']],
  ['service service-policies web', ['bind', 'dial']],
  ['service service-edge-router-policies web', ['services-anywhere']],
  ['service identities web', ['host', 'user-1']],
  ['service edge-routers web', ['router-1', 'router-2']],
  ['service-policy services dial', ['web']],
  ['service-policy identities dial', ['user-1']],
  ['service-policy posture-checks dial', ['domain']],
  ['edge-router-policy edge-routers users-nearby', ['router-1']],
  ['edge-router-policy identities users-nearby', ['user-1', 'user-2']],
  ['service-edge-router-policy services services-anywhere', ['db', 'web']],
  ['service-edge-router-policy edge-routers services-anywhere', ['router-1', 'router-2']],
  ['identity services user-1', ['web']],
  ['identity service-policies user-1', ['dial']],
  ['identity edge-routers user-1', ['router-1']],
  ['identity edge-router-policies user-1', ['users-nearby']],
  ['edge-router identities router-1', ['user-1', 'user-2']],
  ['edge-router services router-1', ['db', 'web']],
  ['edge-router edge-router-policies router-1', ['users-nearby']],
  ['edge-router service-edge-router-policies router-1', ['services-anywhere']],
]

for (const [path, names] of related) {
  test(`list ${path}`, async () => {
    const words = ['edge', 'list', ...path.split(' ')]
    assert.deepEqual(namesOf(await cli.json(...words)), names)
    const table = readTable(await cli.says(...words))
    assert.deepEqual(table.map((row) => row['NAME']).sort(), names)
    const filtered = await cli.json(...words, `name = "${names[0]}"`)
    assert.deepEqual(namesOf(filtered), names.slice(0, 1))
  })
}

for (const [title, words, names] of [
  ['a set', ['services', 'name in ["db", "web"] sort by name'], ['db', 'web']],
  ['an attribute', ['services', 'anyOf(roleAttributes) = "front"'], ['web']],
  ['no attribute', ['services', 'isEmpty(roleAttributes)'], ['db']],
  ['a tag', ['services', 'tags.env = "prod"'], ['web']],
  ['a time', ['services', 'createdAt > datetime(2000-01-02T03:04:05Z) and name contains "e"'], ['web']],
  ['a page', ['identities', 'name contains "user" sort by name desc skip 1 limit 1'], ['user-1']],
  ['letters of any case', ['identities', 'name icontains "USER-2"'], ['user-2']],
  ['all roles', ['identities', '--role-filters', '#users,#admins', '--role-semantic', 'AllOf'], ['user-2']],
  ['any role', ['edge-routers', '--role-filters', '#near,#far', '--role-semantic', 'AnyOf'], ['router-1', 'router-2']],
  ['a role or an id', ['services', '--role-filters', '#front'], ['web']],
] as const) {
  test(`lists by ${title}`, async () => {
    const [collection, ...flags] = words
    assert.deepEqual(namesOf(await cli.json('edge', 'list', collection, ...flags)), names)
    assert.equal(readTable(await cli.says('edge', 'list', collection, ...flags)).length, names.length)
  })
}

for (const [filter, reason] of [
  ['bad filter here', /400.*INVALID_FILTER.*line: 1, column: 4/],
  ['nothing = 1', /400.*INVALID_FILTER.*unknown symbol 'nothing'/],
  ['name = ', /400.*INVALID_FILTER/],
] as const) {
  test(`says what is wrong with the filter ${filter}`, async () => {
    assert.match(await cli.refuses('edge', 'list', 'services', filter), reason)
  })
}

test('shows a config and a config type', async () => {
  assert.deepEqual(JSON.parse(await cli.says('edge', 'show', 'config', 'config-1')), { port: 80 })
  assert.partialDeepStrictEqual(JSON.parse(await cli.says('edge', 'show', 'config-type', 'port')), { type: 'object' })
  assert.partialDeepStrictEqual(JSON.parse(await cli.says('edge', 'show', 'config-type', 'intercept.v1')), {
    required: ['protocols', 'addresses', 'portRanges'],
  })
})

test('shows services as an identity sees them', async () => {
  const words = ['edge', 'list', 'services', '--as-identity', 'user-1', '--config-types', 'port']
  const { data } = (await cli.json(...words)) as { data: Json[] }
  assert.partialDeepStrictEqual(data, [{ name: 'web', permissions: ['Dial'], config: { port: { port: 80 } } }])
})

test('gives an identity a config of its own for a service, and takes it back', async () => {
  const configs = async () => readTable(await cli.says('edge', 'list', 'identity', 'service-configs', 'user-1'))
  await cli.says('edge', 'update', 'identity-configs', 'user-1', 'web', 'config-2')
  assert.partialDeepStrictEqual(await configs(), [{ 'SERVICE NAME': 'web', 'CONFIG NAME': 'config-2' }])
  const words = ['edge', 'list', 'services', '--as-identity', 'user-1', '--config-types', 'port']
  const { data } = (await cli.json(...words)) as { data: Json[] }
  assert.partialDeepStrictEqual(data, [{ config: { port: { port: 443 } } }])
  await cli.says('edge', 'update', 'identity-configs', 'user-1', 'web', 'config-2', '-r')
  assert.deepEqual(await configs(), [])
})

test('advises on every identity and every service', async () => {
  const identities = await cli.says('edge', 'policy-advisor', 'identities', '-q')
  assert.match(identities, /^ERROR: user-1 \(1\) -> web \(2\) Common Routers: \(0\/1\) Dial: Y Bind: N $/m)
  assert.match(identities, /^ERROR: host \(0\) -> web \(2\) Common Routers: \(0\/0\) Dial: N Bind: Y $/m)
  assert.match(identities, /^ERROR: user-2 *\n.*does not have access to any services/m)
  const services = await cli.says('edge', 'policy-advisor', 'services', '-q')
  assert.match(services, /^ERROR: user-1 \(1\) -> web \(2\)/m)
  assert.match(services, /^ERROR: db *\n/m)
})

test('advises on one identity and one service', async () => {
  const pair = await cli.says('edge', 'policy-advisor', 'identities', 'user-1', 'web', '-q')
  assert.match(pair, /Common edge routers are all off-line/)
  assert.match(await cli.says('edge', 'policy-advisor', 'services', 'web', 'user-2', '-q'), /Dial: N Bind: N/)
  const said = await cli.says('edge', 'policy-advisor', 'identities', 'user-1', 'web', '-q', '-j')
  assert.match(said, /"isDialAllowed": true/)
})

test('hosts a service at an address, moves it and takes it away', async () => {
  const said = await cli.says(
    'edge',
    'create',
    'terminator',
    'web',
    'router-1',
    'tcp:localhost:80',
    '-c',
    '4',
    '-p',
    'required',
  )
  const id = /^New terminator created with id: (\S+)$/m.exec(said)![1]!
  const own = `id = "${id}"`
  const first = { SERVICE: 'web', ROUTER: 'router-1', BINDING: 'edge_transport', COST: '4', PRECEDENCE: 'required' }
  assert.partialDeepStrictEqual(readTable(await cli.says('edge', 'list', 'terminators', own)), [{ ID: id, ...first }])

  const moved = ['--address', 'tcp:localhost:81', '--binding', 'transport', '-c', '8', '-p', 'failed']
  assert.equal(await cli.says('edge', 'update', 'terminator', id, ...moved, '--router', 'router-2'), '')
  const [shown] = await cli.list('terminators', own)
  assert.partialDeepStrictEqual(shown, {
    address: 'tcp:localhost:81',
    binding: 'transport',
    cost: 8,
    precedence: 'failed',
    router: { name: 'router-2' },
  })

  const identity = ['--identity', 'by-name', '--binding', 'transport']
  const { data } = await cli.json('edge', 'create', 'terminator', 'web', 'router-1', 'tcp:localhost:82', ...identity)
  const both = [id, (data as Json)['id']].sort()
  for (const words of [
    ['service', 'terminators', 'web'],
    ['terminators', 'service.name = "web"'],
  ]) {
    const listed = await cli.json('edge', 'list', ...words)
    assert.deepEqual((listed['data'] as Json[]).map((terminator) => terminator['id']).sort(), both)
  }
  assert.match(
    await cli.refuses('edge', 'create', 'terminator', 'web', 'missing', 'tcp:localhost:80'),
    /404.*router with id missing not found/,
  )
  await cli.says('edge', 'delete', 'terminators', 'where', 'true')
  assert.match(await cli.says('edge', 'list', 'terminators'), /^results: none$/m)
})

test('changes the configs of a service, and a router as a whole', async () => {
  await cli.says('edge', 'update', 'service', 'db', '-c', 'config-2')
  assert.deepEqual(namesOf(await cli.json('edge', 'list', 'service', 'configs', 'db')), ['config-2'])
  await cli.says('edge', 'create', 'edge-router', 'whole', '-a', 'x', '--cost', '5', '-t')
  await cli.says('edge', 'update', 'edge-router', 'whole', '--use-put', '-n', 'whole-2', '-a', 'y')
  assert.partialDeepStrictEqual(await cli.named('edge-routers', 'whole-2'), {
    roleAttributes: ['y'],
    cost: 0,
    isTunnelerEnabled: false,
  })
  await cli.says('edge', 'delete', 'edge-router', 'whole-2')
})

for (const [title, words, reason] of [
  ['a config that its type forbids', ['config', 'bad', 'port', '{"port":"x"}'], /port is invalid.*integer/],
  ['a schema that is none', ['config-type', 'bad', '{"type":5}'], /400/],
  ['a strategy that nobody knows', ['service', 'bad', '--terminator-strategy', 'luck'], /404.*luck not found/],
  ['a right that nobody knows', ['identity', 'bad', '--permissions', 'all'], /permissions\.0 in body should be one of/],
  ['a name of a router, for another kind', ['transit-router', 'router-1'], /400.*router-1/],
] as const) {
  test(`refuses ${title}`, async () => {
    assert.match(await cli.refuses('edge', 'create', ...words), reason)
  })
}

function namesOf(document: Json): unknown[] {
  return (document['data'] as Json[]).map(({ name }) => name).sort()
}

/** Two users, a host, two services and two routers, with policies that join some of them. */
async function build({ cli }: PeerNetwork): Promise<void> {
  const create = (...args: string[]) => cli.says('edge', 'create', ...args)
  await create('config-type', 'port', '{"type":"object","properties":{"port":{"type":"integer"}}}')
  await create('config', 'config-1', 'port', '{"port":80}')
  await create('config', 'config-2', 'port', '{"port":443}')
  await create('service', 'web', '-a', 'front', '-c', 'config-1', '-t', 'env=prod')
  await create('service', 'db')
  await create('identity', 'user-1', '-a', 'users')
  await create('identity', 'user-2', '-a', 'users,admins')
  await create('identity', 'host')
  await create('edge-router', 'router-1', '-a', 'near')
  await create('edge-router', 'router-2', '-a', 'far')
  await create('posture-check', 'domain', 'domain', '-d', 'a.example', '-a', 'checks')
  await create(
    'service-policy',
    'dial',
    'Dial',
    '--service-roles',
    '#front',
    '--identity-roles',
    '@user-1',
    '-p',
    '#checks',
  )
  await create('service-policy', 'bind', 'Bind', '--service-roles', '@web', '--identity-roles', '@host')
  await create('edge-router-policy', 'users-nearby', '--edge-router-roles', '#near', '--identity-roles', '#users')
  await create(
    'service-edge-router-policy',
    'services-anywhere',
    '--edge-router-roles',
    '#all',
    '--service-roles',
    '#all',
  )
}
