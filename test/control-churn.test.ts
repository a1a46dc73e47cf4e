/**
 * Routers that come and go at random, in every way, while links are reported, circuits made and entities changed: in the
 * end the controller knows exactly who is there, every copy of the data model is whole, and nothing is left of those that
 * are gone, neither links, circuits and sockets nor memory. WEFT_LONG makes it a soak.
 */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import test from 'node:test'
import { dialledLink, latencyReport } from '../packages/wire/testing/simulated-router.ts'
import { ApiClient } from './kit/api-client.ts'
import { ControllerProcess } from './kit/controller-process.ts'
import { clientApi, enrolledPassword } from './kit/enrolled.ts'
import { FlappingRouter } from './kit/flapping-router.ts'
import { HeapProbe, inspectable } from './kit/heap-probe.ts'
import { until } from './kit/patience.ts'
import { MEBIBYTE } from './kit/process-memory.ts'
import { type Random, seededRandom } from './kit/random.ts'

const ROUTERS = 10
const AT_ONE_TIME = 6
/** An answer that was under way on a connection that is lost does not come. */
const CIRCUIT_MILLISECONDS = 2_000
const waves = Number(process.env.WEFT_CHURN_WAVES ?? (process.env.WEFT_LONG ? 3_000 : 25))
/** After each the memory is looked at: what grows without end grows in all of them. */
const PARTS = 5
/** What the engine learns, and what an entity that was changed leaves in the log of changes that routers may ask for. */
const LEFT_AT_MOST = 5 * MEBIBYTE + Math.min(waves, 10_000) * 2_048

const random = seededRandom()
const limit = { timeout: 100_000 + waves * 1_000 }

test(`routers come and go, WEFT_SEED=${random.seed}`, limit, async (t) => {
  await using controller = await ControllerProcess.start({ nodeFlags: inspectable })
  using admin = await ApiClient.login(controller)
  using fabric = new ApiClient(controller, { base: '/fabric/v1', token: admin.token! })
  using probe = await HeapProbe.attach(controller)
  await using network = await ChurningNetwork.start(controller, admin, fabric)

  await t.test('the controller knows who is there, and every copy is whole', async () => {
    for (let wave = 0; wave < 8; wave++) await network.wave(random)
    await network.settle()
    await network.end()
  })

  await t.test('and again, many times; nothing is left of those that are gone', async () => {
    const filesBefore = openFiles(controller.pid)
    const held = [await probe.heldBytes()]
    for (let part = 0; part < PARTS; part++) {
      for (let wave = 0; wave < waves / PARTS; wave++) await network.wave(random)
      await network.settle()
      await network.end()
      held.push(await probe.heldBytes())
    }
    const shown = held.map((bytes) => (bytes / MEBIBYTE).toFixed(1)).join(', ')
    t.diagnostic(`MiB held: ${shown}; ${network.actions} actions`)
    assert.ok(held.at(-1)! - held[0]! < LEFT_AT_MOST, `the heap has grown: ${shown} MiB`)
    await until('no socket is left', () => openFiles(controller.pid) <= filesBefore + 2)
  })
})

/** Files and sockets that a process has open, where that can be told. */
function openFiles(pid: number): number {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/fd`).length : 0
}

interface ListedCircuit {
  readonly id: string
  readonly path: { readonly nodes: readonly { readonly id: string }[] }
}

type Session = { readonly apiSessionToken: string; readonly sessionToken: string }

class ChurningNetwork implements AsyncDisposable {
  actions = 0
  readonly #admin: ApiClient
  readonly #fabric: ApiClient
  readonly #routers: readonly FlappingRouter[]
  readonly #session: Session
  #identities: string[] = []
  #last = 0

  private constructor(admin: ApiClient, fabric: ApiClient, routers: readonly FlappingRouter[], session: Session) {
    this.#admin = admin
    this.#fabric = fabric
    this.#routers = routers
    this.#session = session
  }

  static async start(controller: ControllerProcess, admin: ApiClient, fabric: ApiClient): Promise<ChurningNetwork> {
    const names = Array.from({ length: ROUTERS }, (_, nth) => `flapping-${nth}`)
    const routers = await Promise.all(names.map((name) => FlappingRouter.enroll(admin, name)))
    const service = await admin.create('services', { name: 'churn', encryptionRequired: false })
    for (const router of routers.slice(0, ROUTERS / 2)) {
      const address = `tcp:${router.id}.example:1`
      await admin.create('terminators', { service, router: router.id, binding: 'transport', address })
    }
    const credentials = { username: 'dialler', password: 'dialler-pass-1' }
    await enrolledPassword(admin, credentials.username, credentials.password)
    const all = { semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'], edgeRouterRoles: ['#all'] }
    const { edgeRouterRoles, identityRoles, serviceRoles, semantic } = all
    await admin.create('service-policies', { name: 'churn', type: 'Dial', semantic, identityRoles, serviceRoles })
    await admin.create('edge-router-policies', { name: 'churn', semantic, identityRoles, edgeRouterRoles })
    await admin.create('service-edge-router-policies', { name: 'churn', semantic, serviceRoles, edgeRouterRoles })
    using client = await ApiClient.login(controller, credentials, { base: clientApi })
    const reply = await client.post('/sessions', { serviceId: service, type: 'Dial' })
    assert.equal(reply.status, 201, reply.text)
    const { token } = reply.body!.data as { token: string }
    return new ChurningNetwork(admin, fabric, routers, { apiSessionToken: client.token!, sessionToken: token })
  }

  /** Several things happen at the same time. */
  async wave(random: Random): Promise<void> {
    const actions = Array.from({ length: AT_ONE_TIME }, () => this.#action(random))
    for (const outcome of await Promise.allSettled(actions)) {
      if (outcome.status === 'rejected' && !isInterruption(outcome.reason)) throw outcome.reason
    }
  }

  /** All come back: the controller shows them, exactly their links, and they have one and the same copy. */
  async settle(): Promise<void> {
    await Promise.all(this.#routers.map((router) => comeBack(router)))
    await until('all are shown as connected', async () => (await this.#connected()).length === ROUTERS)
    const links: string[] = []
    for (const [at, { id, live }] of this.#routers.entries()) {
      const peer = this.#routers[(at + 1) % ROUTERS]!
      links.push(`settled-${id}`)
      await live!.tell('routerLinks', { body: { links: [dialledLink(`settled-${id}`, peer.id)], fullRefresh: true } })
    }
    await until('exactly the links that are reported are listed', async () => {
      const listed = (await this.#fabric.list('/links')).map(({ id }) => String(id))
      return listed.sort().join() === links.sort().join()
    })
    const others = (of: FlappingRouter) => this.#routers.filter((router) => router !== of)
    await until('all have been told of each other', () =>
      this.#routers.every((router) => others(router).every(({ id }) => router.live?.peers.has(id))),
    )
    await this.#compareCopies()
    await this.#endCircuits()
  }

  /** All go: nobody is shown, and no link. */
  async end(): Promise<void> {
    await Promise.all(this.#routers.map((router) => router.leave()))
    await until('nobody is connected', async () => (await this.#connected()).length === 0)
    await until('no link is left', async () => (await this.#fabric.list('/links')).length === 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const router of this.#routers) await router[Symbol.asyncDispose]()
  }

  async #action(random: Random): Promise<void> {
    this.actions++
    const router = random.oneOf(this.#routers)
    const { live } = router
    // Whoever is gone comes back more often than not, so that there is somebody to disturb.
    if (live === undefined) return random.integer(5) === 0 ? router.hangUp() : router.come()
    const nth = this.#last++
    switch (random.integer(12)) {
      case 0:
        return router.leave()
      case 1:
        return router.vanish()
      case 2:
        return router.loseOne(random.integer(2))
      case 3:
        return router.stall()
      case 4:
        return router.hangUp()
      case 5:
      case 6: {
        const peers = this.#routers.filter((peer) => peer !== router && random.integer(3) === 0)
        const links = peers.map(({ id }) => dialledLink(`${router.id}-${id}-${random.integer(2)}`, id, nth + 1))
        return live.tell('routerLinks', { body: { links, fullRefresh: random.integer(3) === 0 } })
      }
      case 7: {
        const peer = random.oneOf(this.#routers)
        const linkId = `${peer.id}-${router.id}-${random.integer(2)}`
        await live.tell('metrics', latencyReport(router.id, [[linkId, nth * 1_000]]))
        return live.tell('fault', { body: { subject: 'LinkFault', id: linkId, iteration: 0 } })
      }
      case 8:
      case 9: {
        const { name, message } = await live.request('createCircuitV2', this.#session, CIRCUIT_MILLISECONDS)
        if (name !== 'createCircuitV2Response' || random.integer(2) === 0) return
        return live.tell('fault', { body: { subject: 'IngressFault', id: message.circuitId, iteration: 0 } })
      }
      default:
        return this.#changeEntities(random, nth)
    }
  }

  async #changeEntities(random: Random, nth: number): Promise<void> {
    if (this.#identities.length > 10) {
      const id = this.#identities.splice(random.integer(this.#identities.length), 1)[0]
      await this.#admin.delete(`/identities/${id}`)
      return
    }
    const body = { name: `churn-${random.seed}-${nth}`, type: 'Default', isAdmin: false }
    this.#identities.push(await this.#admin.create('identities', body))
  }

  async #connected(): Promise<readonly string[]> {
    const routers = await this.#fabric.list('/routers')
    const ours = new Set(this.#routers.map(({ id }) => id))
    return routers.filter(({ id, connected }) => connected === true && ours.has(String(id))).map(({ id }) => String(id))
  }

  /** Of one that has just come, and got everything at once, and those that got it bit by bit. */
  async #compareCopies(): Promise<void> {
    const [fresh, ...others] = this.#routers
    await fresh!.leave()
    await comeBack(fresh!)
    // By one more change everybody finds out whether something was missed.
    this.#identities.push(
      await this.#admin.create('identities', { name: `last-${this.#last++}`, type: 'Default', isAdmin: false }),
    )
    await until('the copies have come equally far', () =>
      others.every((other) => other.copy().index === fresh!.copy().index),
    )
    for (const other of others) assert.deepEqual(other.copy().content(), fresh!.copy().content())
  }

  /** Those that are left end at the wish of the router they begin at, and then no router has a part of any. */
  async #endCircuits(): Promise<void> {
    for (const { id, path } of (await this.#fabric.list('/circuits')) as unknown as ListedCircuit[]) {
      const first = this.#routers.find((router) => router.id === path.nodes[0]!.id)!
      await first.live!.tell('fault', { body: { subject: 'IngressFault', id, iteration: 0 } })
    }
    await until('no circuit is left', async () => (await this.#fabric.list('/circuits')).length === 0)
    // As routers do it when nothing moves: of those that have ended they are told to let go.
    for (const { live } of this.#routers) {
      if (live!.circuits.size > 0)
        await live!.tell('circuitConfirmation', { body: { circuitIds: [...live!.circuits] } })
    }
    await until('no router has a part of one', () => this.#routers.every(({ live }) => live?.circuits.size === 0))
  }
}

/** A controller that has not noticed yet that the router is gone refuses it: it comes again. */
async function comeBack(router: FlappingRouter): Promise<void> {
  await until(`router ${router.id} is back`, async () => {
    try {
      await router.come()
    } catch (error) {
      if (!isInterruption(error)) throw error
    }
    return router.live !== undefined
  })
}

/** What happens to whoever speaks while a channel ends. */
function isInterruption(error: unknown): boolean {
  const codes = ['CLOSED', 'CONNECTION_LOST', 'HELLO_REFUSED', 'DIAL_FAILED', 'TIMEOUT', 'GROUP_UNKNOWN']
  return codes.includes(String((error as { code?: unknown }).code))
}
