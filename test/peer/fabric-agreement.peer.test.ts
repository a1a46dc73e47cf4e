/**
 * Two stock routers with programs on the Go SDK, under our controller and under the stock one: what the Fabric API, its
 * filters, the tools and the events say has the same form under both. Run by `npm run test:peer`.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { SdkClient } from '../interop/sdk-client.ts'
import { ApiClient, type Json } from '../kit/api-client.ts'
import { admin, ControllerProcess } from '../kit/controller-process.ts'
import { initialised } from '../kit/initialised.ts'
import { TestStream } from '../kit/management-stream.ts'
import { until } from '../kit/patience.ts'
import { temporaryFolder } from '../kit/temporary-folder.ts'
import { PeerCli } from './peer-cli.ts'
import { PeerController } from './peer-controller.ts'
import { shapeOf } from './shapes.ts'
import { StockRouter } from './stock-router.ts'

interface Place {
  readonly url: string
  readonly ca: string
  readonly controlAddress: string
  readonly cli: PeerCli
  readonly folder: string
}

/** What was seen, by what was asked. */
type Seen = Readonly<Record<string, unknown>>

const patience = { within: 60_000, every: 200 }
const namespaces = ['circuit', 'link', 'router', 'sdk', 'connect', 'metrics', 'apiSession', 'entityChange']
const circuitFilters = ['clientId', 'service', 'terminator', 'id', 'createdAt', 'updatedAt', 'path', 'tags.clientId']
const linkSorts = ['id', 'protocol', 'dialAddress', 'sourceRouter', 'destRouter', 'cost', 'staticCost', 'sourceLatency']
const moreLinkSorts = ['destLatency', 'state', 'iteration', 'down', 'connections', 'tags', 'createdAt']
const inspections = ['connected-routers', 'router-messaging', 'terminator-costs', 'links', 'sdk-terminators']
const moreInspections = ['ert-terminators', 'router-circuits', 'router-edge-circuits', 'router-controllers', 'nothing']
const validations = ['circuits', 'terminators', 'router-links', 'router-sdk-terminators', 'router-ert-terminators']

async function observe(place: Place, sdk: SdkClient): Promise<Seen> {
  const { cli, folder } = place
  await using parts = new AsyncDisposableStack()
  const management = parts.use(await ApiClient.login(place, admin))
  const fabric = parts.use(new ApiClient(place, { base: '/fabric/v1', token: management.token! }))
  const stream = parts.use(await TestStream.open(place, management.token))
  const usage = { type: 'usage', options: { version: 3 } }
  const subscribed = await stream.subscribe(...namespaces.map((type) => ({ type })), usage)
  assert.equal(subscribed.success, true)

  const all = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] }
  await management.create('service-edge-router-policies', { ...all, name: 'all', serviceRoles: ['#all'] })
  for (const [type, role] of [
    ['Dial', '#near-r1'],
    ['Bind', '#near-r2'],
  ] as const) {
    const roles = { identityRoles: [role], serviceRoles: ['#all'] }
    await management.create('service-policies', { name: type, type, semantic: 'AnyOf', ...roles })
  }
  const routers: StockRouter[] = []
  for (const name of ['r1', 'r2']) {
    const near = { semantic: 'AnyOf', edgeRouterRoles: [`#${name}`], identityRoles: [`#near-${name}`] }
    await management.create('edge-router-policies', { ...near, name })
    const at = { admin: () => management, controlAddress: place.controlAddress, folder }
    routers.push(parts.use(await StockRouter.start(at, name)))
  }
  const enroll = async (name: string, role: string) => {
    const body = { name, type: 'Default', isAdmin: false, roleAttributes: [role], enrollment: { ott: true } }
    const id = await management.create('identities', body)
    const { enrollment } = (await management.detail(`/identities/${id}`)) as { enrollment: { ott: { jwt: string } } }
    const [invitation, file] = [join(folder, `${name}.jwt`), join(folder, `${name}.json`)]
    await writeFile(invitation, enrollment.ott.jwt)
    await sdk.tells(['enroll', '--invitation', invitation, '--out', file])
    return file
  }
  const services = ['echo', 'lonely']
  for (const name of services) await management.create('services', { name, encryptionRequired: true })
  const [host, client] = [await enroll('host', 'near-r2'), await enroll('client', 'near-r1')]
  const hosting = parts.use(sdk.start(['host', '--identity', host, '--service', 'echo']))
  await hosting.tells('hosting')
  await until('they are linked', async () => (await fabric.list('/links')).length === 1, patience)
  const dialled = parts.use(sdk.start(['dial', '--identity', client, '--service', 'echo', '--exchange', 'hold']))
  await dialled.tells('holding')
  await using lonely = sdk.start(['dial', '--identity', client, '--service', 'lonely'])
  await lonely.ended
  const measured = ({ namespace, metric }: Json) => namespace === 'metrics' && metric === 'link.latency'
  await until('links are measured', () => stream.events.some(measured), patience)
  await until('usage is told', () => stream.events.some(({ namespace }) => namespace === 'usage'), patience)

  const seen: Record<string, unknown> = {}
  const [circuit] = await fabric.list('/circuits')
  const [link] = await fabric.list('/links')
  const [terminator] = await fabric.list('/terminators')
  const { path, service } = circuit as { path: { links: { id: string }[] }; service: { id: string } }
  assert.deepEqual(
    path.links.map(({ id }) => id),
    [link!['id']],
    'the circuit runs over the link',
  )
  const ids = [...routers.map(({ id }) => id), ...[circuit, link, terminator].map((entity) => String(entity!['id']))]
  const addresses = await forwardAddresses(fabric, String(circuit!['id']))
  const look = async (label: string, reply: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await reply
    seen[label] = [status, shapeOf([body], [...ids, ...addresses])]
  }
  for (const what of ['circuits', 'links', 'routers', 'terminators', 'services']) {
    await look(`list ${what}`, fabric.get(`/${what}`))
  }
  for (const [what, id] of [
    ['circuits', circuit!['id']],
    ['links', link!['id']],
    ['routers', routers[0]!.id],
    ['terminators', terminator!['id']],
    ['services', service.id],
  ]) {
    await look(`one of ${what}`, fabric.get(`/${what}/${id}`))
    await look(`none of ${what}`, fabric.get(`/${what}/nothing`))
  }
  const query = (text: string) => encodeURIComponent(text)
  for (const name of circuitFilters)
    await look(`circuits by ${name}`, fabric.get(`/circuits?filter=${query(`${name} != null`)}`))
  for (const name of [...linkSorts, ...moreLinkSorts]) await look(`links by ${name}`, fabric.get(`/links?sort=${name}`))
  for (const value of [...inspections, ...moreInspections]) {
    await look(`inspect ${value}`, fabric.post('/inspections', { appRegex: '.*', requestedValues: [value] }))
  }
  for (const what of validations) {
    const { status, stdout } = await cli.run('fabric', 'validate', what)
    seen[`validate ${what}`] = [status, stdout.trim()]
  }
  await look('a terminator of an SDK is changed', fabric.patch(`/terminators/${terminator!['id']}`, { cost: 3 }))
  await look('a terminator of an SDK is deleted', fabric.delete(`/terminators/${terminator!['id']}`))
  await look('a circuit is deleted', fabric.delete(`/circuits/${circuit!['id']}`, { immediate: true }))
  const ended = ({ namespace, event_type }: Json) => namespace === 'circuit' && event_type === 'deleted'
  await until('its end is told', () => stream.events.some(ended), patience)
  for (const { namespace, event_type } of told) {
    const of = stream.events.filter((event) => event['namespace'] === namespace && event['event_type'] === event_type)
    seen[`event ${namespace} ${event_type ?? ''}`] = shapeOf(of)
  }
  for (const type of entityTypes) {
    const isMeant = ({ eventType, entityType }: Json) => eventType === 'created' && entityType === type
    seen[`a new one of ${type}`] = shownChange(stream.events.find(isMeant))
  }
  seen['event metrics'] = shapeOf(stream.events.filter(measured))
  const used = stream.events.filter(({ namespace }) => namespace === 'usage')
  seen['event usage'] = shapeOf(used.map((event) => ({ ...event, usage: typeof event['usage'] })))
  return seen
}

const told: readonly { readonly namespace: string; readonly event_type?: string }[] = [
  { namespace: 'circuit', event_type: 'created' },
  { namespace: 'circuit', event_type: 'deleted' },
  { namespace: 'circuit', event_type: 'failed' },
  { namespace: 'link', event_type: 'routerLinkNew' },
  { namespace: 'link', event_type: 'connectionsChanged' },
  { namespace: 'router', event_type: 'router-online' },
  { namespace: 'sdk', event_type: 'sdk-online' },
  { namespace: 'apiSession', event_type: 'created' },
  { namespace: 'connect' },
]

const entityTypes = [
  ...['services', 'servicePolicies', 'edgeRouterPolicies', 'serviceEdgeRouterPolicies'],
  ...['routers', 'identities', 'authenticators', 'terminators'],
]

/** What the stock one alone shows: secrets, and what refers to the entity. */
const unlike: ReadonlySet<string> = new Set(['instanceSecret', 'enrollments', 'authenticators'])

/** By its members, whose doing it was and how. */
function shownChange(event: Json | undefined): unknown {
  const { finalState, metadata } = event as { finalState: Json; metadata: { author: Json; source: Json } }
  const { author, source } = metadata
  const members = Object.keys(finalState).filter((name) => !unlike.has(name))
  return { members: members.sort(), by: author['type'], from: source['type'], method: source['method'] }
}

/** Names that a circuit's ends have in routers. */
async function forwardAddresses(fabric: ApiClient, circuitId: string): Promise<readonly string[]> {
  const request = { appRegex: '.*', requestedValues: [`circuit:${circuitId}`] }
  const { body } = await fabric.post('/inspections', request)
  const { values } = body as unknown as { values: { value: { forwards: Record<string, string> } }[] }
  return values.flatMap(({ value: { forwards } }) => Object.keys(forwards))
}

test('the fabric looks the same under our controller and under the stock one', { timeout: 300_000 }, async () => {
  await using sdk = await SdkClient.build()
  await using ourFolder = await temporaryFolder('agree-ours')
  await using stockFolder = await temporaryFolder('agree-stock')
  let ours: Seen
  {
    const configuration = await initialised(join(ourFolder.path, 'controller'), { bindings: ['fabric'] })
    const { url, ca, port } = configuration
    await using _ = await ControllerProcess.run(configuration)
    const cli = new PeerCli(ourFolder.path)
    const file = join(ourFolder.path, 'cas.pem')
    await writeFile(file, ca)
    await cli.says('edge', 'login', url, '-u', admin.username, '-p', admin.password, '--ca', file)
    ours = await observe({ url, ca, cli, controlAddress: `127.0.0.1:${port}`, folder: ourFolder.path }, sdk)
  }
  await using stock = await PeerController.startFromNothing(stockFolder.path)
  const { url, ca, cli, controlAddress } = stock
  const theirs = await observe({ url, ca, cli, controlAddress, folder: stockFolder.path }, sdk)
  const differing = Object.keys(theirs).filter((what) => !isDeepStrictEqual(ours[what], theirs[what]))
  const only = (seen: Seen) => Object.fromEntries(differing.map((what) => [what, seen[what]]))
  assert.deepEqual(only(ours), only(theirs))
})
