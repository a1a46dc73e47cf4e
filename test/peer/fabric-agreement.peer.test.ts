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
const linkSorts = [
  ...['id', 'protocol', 'dialAddress', 'sourceRouter', 'destRouter', 'cost', 'staticCost', 'sourceLatency'],
  ...['destLatency', 'state', 'iteration', 'down', 'connections', 'tags', 'createdAt'],
]
const inspections = [
  ...['connected-routers', 'terminator-costs', 'links', 'sdk-terminators', 'ert-terminators', 'router-circuits'],
  ...['router-edge-circuits', 'router-controllers', 'nothing'],
]
const validations = ['circuits', 'terminators', 'router-links', 'router-sdk-terminators', 'router-ert-terminators']

const isMeasured = ({ namespace, metric }: Json) => namespace === 'metrics' && metric === 'link.latency'
const isUsage = ({ namespace }: Json) => namespace === 'usage'
const isEnd = ({ namespace, event_type }: Json) => namespace === 'circuit' && event_type === 'deleted'

/** A network with a circuit over two routers, and a dial that has failed. */
class Carrying implements AsyncDisposable {
  readonly management: ApiClient
  readonly fabric: ApiClient
  readonly stream: TestStream
  readonly routers: StockRouter[] = []
  readonly #place: Place
  readonly #sdk: SdkClient
  readonly #parts: AsyncDisposableStack

  private constructor(place: Place, sdk: SdkClient, management: ApiClient, stream: TestStream) {
    this.#place = place
    this.#sdk = sdk
    this.#parts = new AsyncDisposableStack()
    this.management = this.#parts.use(management)
    this.fabric = this.#parts.use(new ApiClient(place, { base: '/fabric/v1', token: management.token! }))
    this.stream = this.#parts.use(stream)
  }

  static async start(place: Place, sdk: SdkClient): Promise<Carrying> {
    const management = await ApiClient.login(place, admin)
    const stream = await TestStream.open(place, management.token)
    await using made = new AsyncDisposableStack()
    const network = made.use(new Carrying(place, sdk, management, stream))
    const usage = { type: 'usage', options: { version: 3 } }
    assert.equal((await stream.subscribe(...namespaces.map((type) => ({ type })), usage)).success, true)
    await network.#open()
    await network.#carry()
    made.move()
    return network
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts[Symbol.asyncDispose]()
  }

  async #open(): Promise<void> {
    const { management } = this
    const { controlAddress, folder } = this.#place
    const semantic = 'AnyOf'
    const all = { name: 'all', semantic, edgeRouterRoles: ['#all'], serviceRoles: ['#all'] }
    await management.create('service-edge-router-policies', all)
    for (const [name, type] of [['r1', 'Dial'] as const, ['r2', 'Bind'] as const]) {
      const identityRoles = [`#near-${name}`]
      await management.create('service-policies', { name, type, semantic, identityRoles, serviceRoles: ['#all'] })
      const near = { name, semantic, edgeRouterRoles: [`#${name}`], identityRoles }
      await management.create('edge-router-policies', near)
      const place = { admin: () => management, controlAddress, folder }
      this.routers.push(this.#parts.use(await StockRouter.start(place, name)))
    }
    for (const name of ['echo', 'lonely']) await management.create('services', { name, encryptionRequired: true })
  }

  async #carry(): Promise<void> {
    const { fabric, stream } = this
    const [host, client] = [await this.#enroll('host', 'near-r2'), await this.#enroll('client', 'near-r1')]
    const hosting = this.#parts.use(this.#sdk.start(['host', '--identity', host, '--service', 'echo']))
    await hosting.tells('hosting')
    await until('they are linked', async () => (await fabric.list('/links')).length === 1, patience)
    const dial = ['dial', '--identity', client, '--service']
    const dialled = this.#parts.use(this.#sdk.start([...dial, 'echo', '--exchange', 'hold']))
    await dialled.tells('holding')
    await using lonely = this.#sdk.start([...dial, 'lonely'])
    await lonely.ended
    await until('links are measured', () => stream.events.some(isMeasured), patience)
    await until('usage is told', () => stream.events.some(isUsage), patience)
  }

  async #enroll(name: string, role: string): Promise<string> {
    const { management } = this
    const body = { name, type: 'Default', isAdmin: false, roleAttributes: [role], enrollment: { ott: true } }
    const id = await management.create('identities', body)
    const { enrollment } = (await management.detail(`/identities/${id}`)) as { enrollment: { ott: { jwt: string } } }
    const [invitation, file] = ['jwt', 'json'].map((ending) => join(this.#place.folder, `${name}.${ending}`))
    await writeFile(invitation!, enrollment.ott.jwt)
    await this.#sdk.tells(['enroll', '--invitation', invitation!, '--out', file!])
    return file!
  }
}

async function observe(place: Place, sdk: SdkClient): Promise<Seen> {
  await using network = await Carrying.start(place, sdk)
  const { stream } = network
  const seen = await observeFabric(network, place.cli)
  await until('the end of the circuit is told', () => stream.events.some(isEnd), patience)
  return { ...seen, ...observeEvents(stream.events) }
}

async function observeFabric({ fabric, routers }: Carrying, cli: PeerCli): Promise<Seen> {
  const seen: Record<string, unknown> = {}
  const one = async (what: string) => (await fabric.list(`/${what}`))[0]!
  const ids: Record<string, string> = { routers: routers[0]!.id }
  for (const what of ['circuits', 'links', 'terminators', 'services']) ids[what] = String((await one(what))['id'])
  const { path } = (await one('circuits')) as { path: { links: { id: string }[] } }
  assert.equal(path.links[0]?.id, ids['links'], 'the circuit runs over the link')
  const names = [...Object.values(ids), routers[1]!.id, ...(await forwardAddresses(fabric, ids['circuits']!))]
  const look = async (label: string, reply: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await reply
    seen[label] = [status, shapeOf([body], names)]
  }
  for (const [what, id] of Object.entries(ids)) {
    await look(`all ${what}`, fabric.get(`/${what}`))
    await look(`one of ${what}`, fabric.get(`/${what}/${id}`))
    await look(`none of ${what}`, fabric.get(`/${what}/nothing`))
  }
  for (const name of circuitFilters) {
    await look(`circuits by ${name}`, fabric.get(`/circuits?filter=${encodeURIComponent(`${name} != null`)}`))
  }
  for (const name of linkSorts) await look(`links by ${name}`, fabric.get(`/links?sort=${name}`))
  for (const value of inspections) {
    await look(`inspect ${value}`, fabric.post('/inspections', { appRegex: '.*', requestedValues: [value] }))
  }
  for (const what of validations) {
    const { status, stdout } = await cli.run('fabric', 'validate', what)
    seen[`validate ${what}`] = [status, stdout.trim()]
  }
  await look('a terminator of an SDK is changed', fabric.patch(`/terminators/${ids['terminators']}`, { cost: 3 }))
  await look('a terminator of an SDK is deleted', fabric.delete(`/terminators/${ids['terminators']}`))
  await look('a circuit is deleted', fabric.delete(`/circuits/${ids['circuits']}`, { immediate: true }))
  return seen
}

function observeEvents(events: readonly Json[]): Seen {
  const seen: Record<string, unknown> = {}
  for (const { namespace, event_type } of told) {
    const of = events.filter((event) => event['namespace'] === namespace && event['event_type'] === event_type)
    seen[`event ${namespace} ${event_type ?? ''}`] = shapeOf(of)
  }
  for (const type of entityTypes) {
    const isMeant = ({ eventType, entityType }: Json) => eventType === 'created' && entityType === type
    seen[`a new one of ${type}`] = shownChange(events.find(isMeant))
  }
  seen['event metrics'] = shapeOf(events.filter(isMeasured))
  seen['event usage'] = shapeOf(events.filter(isUsage).map((event) => ({ ...event, usage: typeof event['usage'] })))
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
