/**
 * A controller that is killed under load, again and again, loses nothing that it answered and shows nothing half done.
 *
 * WEFT_KILL_ROUNDS says how often; a failing run prints the seed that repeats its choices.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiClient, type Json } from './kit/api-client.ts'
import { ControllerProcess, spawnStart } from './kit/controller-process.ts'
import { freePort } from './kit/free-port.ts'
import { integrityFindings } from './kit/integrity-check.ts'
import { type Random, seededRandom } from './kit/random.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'
import { type Entity, ToldEntities } from './kit/told-and-found.ts'

const rounds = Number(process.env.WEFT_KILL_ROUNDS ?? (process.env.WEFT_LONG ? 200 : 25))
const WORKERS = 8
const FIRST_STARTS = process.env.WEFT_LONG ? 60 : 10
const ENTITIES_PER_KIND = 40

/** How each kind is made; a change only raises the version, except where it says more. */
const kinds: Record<string, { readonly made: (name: string) => Json; readonly changed?: (random: Random) => Json }> = {
  identities: {
    made: (name) => ({ name, type: 'User', isAdmin: false, enrollment: { ott: true }, roleAttributes: ['all', name] }),
    changed: (random) => ({ roleAttributes: ['all', `group-${random.integer(5)}`] }),
  },
  services: { made: (name) => ({ name, encryptionRequired: true, roleAttributes: ['all'] }) },
  'service-policies': {
    made: (name) => ({ name, type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] }),
    changed: (random) => ({ type: random.oneOf(['Dial', 'Bind']), semantic: random.oneOf(['AnyOf', 'AllOf']) }),
  },
  'edge-routers': {
    made: (name) => ({ name, isTunnelerEnabled: true }),
    changed: (random) => ({ isTunnelerEnabled: random.oneOf([true, false]) }),
  },
}

test(`nothing that was answered is lost in ${rounds} kills`, { timeout: rounds * 10_000 + 60_000 }, async (t) => {
  const random = seededRandom()
  t.diagnostic(`seed ${random.seed}`)
  await using home = await temporaryFolder('kill')
  const told = new ToldEntities()
  let port: number | undefined
  let session: string | undefined
  for (let round = 0; ; round++) {
    await using controller = await ControllerProcess.start({ home: home.path, ...(port && { port }) })
    port = controller.port
    // A login that was answered outlives the crash as well.
    using client = session ? new ApiClient(controller, { token: session }) : await ApiClient.login(controller)
    session = client.token
    await compare(client, told)
    if (round === rounds) break // The last start only looks.
    const workers = Array.from({ length: WORKERS }, (_, worker) => work(client, told, random, `${round}-${worker}`))
    const works = Promise.all(workers)
    await Promise.race([works, sleep(80 + random.integer(400))])
    await controller.kill()
    await works
  }
  const { answers, unanswered } = told.counts
  t.diagnostic(`${answers} changes were answered, ${unanswered} were under way when the controller was killed`)
  assert.ok(answers > rounds * 10, `only ${answers} changes in ${rounds} rounds`)
  assert.ok(unanswered > 0, 'no kill met a change under way')
})

test('a first start that is killed anywhere is finished by the next', { timeout: 60_000 }, async (t) => {
  const random = seededRandom()
  t.diagnostic(`seed ${random.seed}`)
  await using home = await temporaryFolder('kill')
  const port = await freePort()
  for (let round = 0; round < FIRST_STARTS; round++) {
    await using child = spawnStart(home.path, port, {})
    // Whenever files appear there is more to cut through, so the later half of a start is aimed at.
    await sleep(150 + random.integer(600))
    await child.stop('SIGKILL')
  }
  await using controller = await ControllerProcess.start({ home: home.path, port })
  using client = await ApiClient.login(controller)
  assert.equal((await client.list('/identities', 'isDefaultAdmin = true')).length, 1)
  assert.deepEqual(await integrityFindings(client), [])
})

/** Changes things until the connection breaks. */
async function work(client: ApiClient, told: ToldEntities, random: Random, worker: string): Promise<void> {
  const own = Object.keys(kinds).flatMap((kind) => told.ofCollection(kind).filter(ownedBy(worker)))
  for (let step = 0; ; step++) {
    try {
      const collection = random.oneOf(Object.keys(kinds))
      const mine = own.filter((entity) => entity.collection === collection)
      const isFull = mine.length >= ENTITIES_PER_KIND / WORKERS
      const choice = random.integer(10)
      if (!isFull && (mine.length === 0 || choice < 4)) {
        own.push(await make(client, told, collection, `${collection}-${worker}-${step}`))
      } else if (choice < 8 && !isFull) await change(client, told, random.oneOf(mine), random)
      else own.splice(own.indexOf(await remove(client, told, random.oneOf(mine))), 1)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined || error instanceof assert.AssertionError) throw error
      return
    }
  }
}

/** What one worker made, the same worker of a later round takes over. */
function ownedBy(worker: string): (entity: Entity) => boolean {
  const [, place] = worker.split('-')
  return ({ name, collection }) => name.slice(collection.length + 1).split('-')[1] === place
}

async function make(client: ApiClient, told: ToldEntities, collection: string, name: string): Promise<Entity> {
  const entity = told.add(collection, name)
  const body = { ...kinds[collection]!.made(name), tags: { version: 1 } }
  entity.id = await told.change(entity, 1, () => client.create(collection, body))
  return entity
}

async function change(client: ApiClient, told: ToldEntities, entity: Entity, random: Random): Promise<void> {
  const { collection, id } = entity
  const version = entity.told + 1
  const body = { ...kinds[collection]!.changed?.(random), tags: { version } }
  const reply = await told.change(entity, version, () => client.patch(`/${collection}/${id}`, body))
  assert.equal(reply.status, 200, reply.text)
}

async function remove(client: ApiClient, told: ToldEntities, entity: Entity): Promise<Entity> {
  const reply = await told.change(entity, 0, () => client.delete(`/${entity.collection}/${entity.id}`))
  assert.equal(reply.status, 200, reply.text)
  return entity
}

/** Everything told is found, whole, and the controller's own scan agrees. */
async function compare(client: ApiClient, told: ToldEntities): Promise<void> {
  const found = new Map<string, Json[]>()
  for (const kind of [...Object.keys(kinds), 'enrollments', 'edge-router-policies']) {
    found.set(kind, await client.list(`/${kind}`))
  }
  const identities = found.get('identities')!
  const routers = found.get('edge-routers')!
  for (const kind of Object.keys(kinds)) told.settle(kind, found.get(kind)!)
  assertInvited(identities, found.get('enrollments')!)
  assertTunnelersWhole(routers, identities, found.get('edge-router-policies')!)
  assert.deepEqual(await integrityFindings(client), [])
}

/** Each identity was made with its enrollment, and none outlives its identity. */
function assertInvited(identities: readonly Json[], enrollments: readonly Json[]): void {
  const people = identities.filter(({ name }) => String(name).startsWith('identities-')).map(({ id }) => id)
  const invited = enrollments.filter(({ method }) => method === 'ott').map(({ identityId }) => identityId)
  assert.deepEqual(invited.toSorted(), people.toSorted())
}

/** A tunneling router has its identity and its policy, and no other has. */
function assertTunnelersWhole(routers: readonly Json[], identities: readonly Json[], policies: readonly Json[]): void {
  const tunnelers = routers.filter(({ isTunnelerEnabled }) => isTunnelerEnabled).map(({ id }) => String(id))
  const routerIdentities = identities.filter(({ typeId }) => typeId === 'Router').map(({ id }) => String(id))
  const policyNames = policies.filter(({ isSystem }) => isSystem).map(({ name }) => String(name))
  assert.deepEqual(routerIdentities.toSorted(), tunnelers.toSorted())
  assert.deepEqual(policyNames.toSorted(), tunnelers.map((id) => `edge-router-${id}-system`).toSorted())
}
