/**
 * The stock CLI takes a network out of one controller and puts it into another, and takes the same out of that one.
 *
 * A router that is a tunneler would bring a policy of the system's own along, named by an id, so there is none.
 */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { ApiClient } from '../kit/api-client.ts'
import type { Json } from './peer-cli.ts'
import { PeerNetwork } from './peer-network.ts'

type Export = Record<string, Json[]>

/** More than the CLI asks for at once. */
const MANY = 600

await using networks = new AsyncDisposableStack()
const source = networks.use(await PeerNetwork.start(build))
const target = networks.use(await PeerNetwork.start())
const yamlTarget = networks.use(await PeerNetwork.start())
const exported: Export = JSON.parse(await takeOut(source, 'all'))
const kept = networks.move()
after(() => kept[Symbol.asyncDispose]())

test('everything is taken out', () => {
  const counts = Object.fromEntries(Object.entries(exported).map(([kind, entities]) => [kind, entities.length]))
  assert.partialDeepStrictEqual(counts, {
    authPolicies: 1,
    certificateAuthorities: 1,
    configs: 1,
    edgeRouters: 1,
    edgeRouterPolicies: 1,
    externalJwtSigners: 2,
    identities: 3,
    postureChecks: 6,
    serviceEdgeRouterPolicies: 1,
    servicePolicies: 1,
    services: 2,
  })
  assert.ok(exported['configTypes']!.some(({ name }) => name === 'port'))
})

test('what was put in is taken out again, as JSON', async () => {
  await putIn(target, await target.write('network.json', exported))
  assert.deepEqual(comparable(JSON.parse(await takeOut(target, 'all'))), comparable(exported))
})

test('what was put in is taken out again, as YAML', async () => {
  const text = await takeOut(source, 'all', '--output-format', 'YAML')
  assert.match(text, /^services:$/m)
  await putIn(yamlTarget, await yamlTarget.write('network.yml', text), '--input-format', 'YAML')
  assert.deepEqual(comparable(JSON.parse(await takeOut(yamlTarget, 'all'))), comparable(exported))
})

test('what is there already is left as it is', async () => {
  const before = await target.cli.list('services', 'sort by name')
  await target.cli.says('edge', 'update', 'service', 'web', '-a', 'changed')
  await putIn(target, target.path('network.json'))
  const services = await target.cli.list('services', 'sort by name')
  assert.deepEqual(
    services.map(({ id }) => id),
    before.map(({ id }) => id),
  )
  assert.deepEqual((await target.cli.named('services', 'web'))['roleAttributes'], ['changed'])
})

test('chosen kinds are taken out alone', async () => {
  const some = JSON.parse(await takeOut(source, 'service,identity'))
  assert.deepEqual(Object.keys(some).sort(), ['identities', 'services'])
  assert.deepEqual(
    comparable(some),
    comparable({ identities: exported['identities']!, services: exported['services']! }),
  )
})

test('more than one page is taken out whole', async () => {
  using client = await ApiClient.login(yamlTarget.controller)
  const names = Array.from({ length: MANY }, (_, index) => `many-${index}`)
  await Promise.all(names.map((name) => client.create('services', { name, encryptionRequired: true })))
  const { services } = JSON.parse(await takeOut(yamlTarget, 'service')) as Export
  const found = new Set(services!.map(({ name }) => name))
  assert.equal(found.size, services!.length)
  for (const name of names) assert.ok(found.has(name), `${name} is missing`)
})

function access({ controller, credentials, caFile }: PeerNetwork): string[] {
  return ['--controller-url', controller.url, ...credentials, '--ca', caFile]
}

function takeOut(network: PeerNetwork, kinds: string, ...flags: readonly string[]): Promise<string> {
  return network.cli.says('ops', 'export', kinds, ...access(network), ...flags)
}

async function putIn(network: PeerNetwork, file: string, ...flags: readonly string[]): Promise<void> {
  const { status, stderr } = await network.cli.run('ops', 'import', file, ...access(network), ...flags)
  assert.equal(status, 0, stderr)
  assert.doesNotMatch(stderr, /ERROR/)
}

/** The entities by name, without what each controller makes for itself. */
function comparable(network: Export): Export {
  const made = ['enrollmentToken', 'verificationToken']
  return Object.fromEntries(
    Object.entries(network).map(([kind, entities]) => [
      kind,
      entities
        .map((entity) => Object.fromEntries(Object.entries(entity).filter(([name]) => !made.includes(name))))
        .sort((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1)),
    ]),
  )
}

/** Something of every kind, with references of every kind. */
async function build(network: PeerNetwork): Promise<void> {
  const create = (...args: string[]) => network.cli.says('edge', 'create', ...args)
  await create('config-type', 'port', '{"type":"object","properties":{"port":{"type":"integer"}}}', '-t', 'k=v')
  await create('config', 'port-80', 'port', '{"port":80}')
  await create('service', 'web', '-a', 'front,back', '-c', 'port-80', '-e', 'OFF', '--terminator-strategy', 'weighted')
  await create('service', 'bare')
  await create('posture-check', 'mac', 'mac', '-m', '01:23:45:67:89:ab', '-a', 'checks')
  await create('posture-check', 'os', 'os', '-o', 'windows:>=10.0.0,linux:5.0.0')
  await create('posture-check', 'process', 'process', 'Linux', '/bin/x', '-s', 'a'.repeat(128))
  await create('posture-check', 'process-multi', 'processes', 'AllOf', 'Linux', '/bin/x')
  await create('posture-check', 'domain', 'domain', '-d', 'a.example')
  await create('posture-check', 'mfa', 'mfa', '-s', '60', '-w')
  await create('edge-router', 'router', '-a', 'near', '--cost', '5', '--no-traversal', '--tags', 'k=v')
  const { cert: ca } = await network.makeCa('exported', '--curve', 'P256')
  await create('ca', 'ca', ca, '-e', '-o', '-a', 'one', '-l', 'SAN_URI', '-m', 'SCHEME', '-x', 'spiffe', '-p', 'NONE')
  await create('ext-jwt-signer', 'keys', 'https://keys.example', '-f', ca, '-k', 'key-1', '-a', 'audience')
  const signer = await create('ext-jwt-signer', 'jwks', 'https://jwks.example', '-u', 'https://jwks.example', '-a', 'b')
  const flags = ['--primary-updb-allowed', '--primary-ext-jwt-allowed', '--primary-ext-jwt-allowed-signers']
  await create('auth-policy', 'rules', ...flags, signer.trim())
  await create('identity', 'user', '-a', 'users', '-P', 'rules', '--external-id', 'external', '-t', 'k=v')
  await create('identity', 'boss', '-A')
  await create(
    'service-policy',
    'dial',
    'Dial',
    '--service-roles',
    '@web,#front',
    '--identity-roles',
    '@user',
    '-p',
    '@mac',
  )
  await create('edge-router-policy', 'nearby', '--edge-router-roles', '@router', '--identity-roles', '#users')
  await create('service-edge-router-policy', 'all', '--edge-router-roles', '#all', '--service-roles', '@web')
}
