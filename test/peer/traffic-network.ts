/**
 * A controller of ours with stock routers, and programs that carry traffic through them: the program on the Go SDK and the
 * stock command line. Tests give identities their routers by role: what an identity has the role `near-X` for, it reaches
 * by router X alone.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SdkClient } from '../interop/sdk-client.ts'
import type { SdkProcess } from '../interop/sdk-process.ts'
import { ApiClient, type Json } from '../kit/api-client.ts'
import type { Configuration, ConfigurationOptions } from '../kit/configuration.ts'
import { admin as administrator, ControllerProcess } from '../kit/controller-process.ts'
import { initialised } from '../kit/initialised.ts'
import { until } from '../kit/patience.ts'
import { type TemporaryFolder, temporaryFolder } from '../kit/temporary-folder.ts'
import { PeerCli } from './peer-cli.ts'
import { StockRouter, type StockRouterOptions, type StockRouterPlace } from './stock-router.ts'

/** The kinds of session that the SDK can be told to ask for. */
export const sessionKinds = ['legacy', 'oidc'] as const
export type SessionKind = (typeof sessionKinds)[number]

/** Somebody who is enrolled. */
export interface Member {
  readonly id: string
  readonly name: string
  /** Where the identity file lies. */
  readonly file: string
}

/** A link costs more than this until both of its ends have measured it. */
const UNMEASURED_COST = 30_000

interface Parts {
  readonly sdk: SdkClient
  readonly cli: PeerCli
  readonly configuration: Configuration
  readonly folder: TemporaryFolder
}

export class TrafficNetwork implements AsyncDisposable {
  readonly sdk: SdkClient
  /** Logged in as the administrator. */
  readonly cli: PeerCli
  readonly routers = new Map<string, StockRouter>()
  readonly #configuration: Configuration
  readonly #folder: TemporaryFolder
  #controller: ControllerProcess
  #admin: ApiClient

  private constructor({ sdk, cli, configuration, folder }: Parts, controller: ControllerProcess, admin: ApiClient) {
    this.sdk = sdk
    this.cli = cli
    this.#configuration = configuration
    this.#folder = folder
    this.#controller = controller
    this.#admin = admin
  }

  /** Starts everything with routers of these names; when that fails, nothing is left behind. */
  static async start(
    routers: Readonly<Record<string, StockRouterOptions>>,
    given: ConfigurationOptions = {},
  ): Promise<TrafficNetwork> {
    await using made = new AsyncDisposableStack()
    const folder = made.use(await temporaryFolder('traffic'))
    const sdk = made.use(await SdkClient.build())
    const cli = new PeerCli(folder.path)
    const configuration = await initialised(join(folder.path, 'controller'), { bindings: ['fabric'], ...given })
    const controller = made.use(await ControllerProcess.run(configuration))
    const admin = made.use(await ApiClient.login(controller))
    const network = new TrafficNetwork({ sdk, cli, configuration, folder }, controller, admin)
    await network.#login()
    await network.#createPolicies(Object.keys(routers))
    for (const [name, options] of Object.entries(routers)) {
      const router = await StockRouter.start(network.#place, name, options)
      made.use(router)
      network.routers.set(name, router)
    }
    made.move()
    return network
  }

  get controller(): ControllerProcess {
    return this.#controller
  }

  get admin(): ApiClient {
    return this.#admin
  }

  /** A router of a name, which must be there. */
  router(name: string): StockRouter {
    const found = this.routers.get(name)
    assert.ok(found !== undefined, `there is no router ${name}`)
    return found
  }

  /** Ends the controller at once and runs it again, on the same port and data. */
  async restartController(): Promise<void> {
    await this.killController()
    await this.runController()
  }

  async killController(): Promise<void> {
    await this.#controller.kill()
  }

  /** Runs the controller again after its end. */
  async runController(): Promise<void> {
    this.#controller = await ControllerProcess.run(this.#configuration)
    this.#admin[Symbol.dispose]()
    this.#admin = await ApiClient.login(this.#controller)
  }

  /** An identity with roles that has enrolled. */
  async enroll(name: string, ...roleAttributes: readonly string[]): Promise<Member> {
    const body = { name, type: 'Default', isAdmin: false, roleAttributes, enrollment: { ott: true } }
    const id = await this.admin.create('identities', body)
    const { enrollment } = (await this.admin.detail(`/identities/${id}`)) as { enrollment: { ott: { jwt: string } } }
    const invitation = join(this.#folder.path, `${name}.jwt`)
    const file = join(this.#folder.path, `${name}.json`)
    await writeFile(invitation, enrollment.ott.jwt)
    await this.sdk.tells(['enroll', '--invitation', invitation, '--out', file])
    return { id, name, file }
  }

  /** A service that identities with the role `hosts` may host, and those with the role `clients` may dial. */
  async service(name: string, more: Json = {}): Promise<string> {
    return this.admin.create('services', { name, encryptionRequired: true, roleAttributes: ['open'], ...more })
  }

  /** Lets identities of a role dial or host one service, if their devices pass checks; answers the id of the policy. */
  async grant(
    type: 'Dial' | 'Bind',
    role: string,
    serviceId: string,
    postureCheckRoles: readonly string[] = [],
  ): Promise<string> {
    const roles = { identityRoles: [role], serviceRoles: [`@${serviceId}`], postureCheckRoles }
    const name = `${type} ${role} ${serviceId}`
    return this.admin.create('service-policies', { name, type, semantic: 'AnyOf', ...roles })
  }

  /** Starts to host a service, and waits until the host may be dialled. */
  async host(member: Member, service: string, ...flags: readonly string[]): Promise<SdkProcess> {
    await using made = new AsyncDisposableStack()
    const host = made.use(this.sdk.start(['host', '--identity', member.file, '--service', service, ...flags]))
    await host.tells('hosting')
    made.move()
    return host
  }

  /** Dials a service, and goes on. */
  dial(member: Member, service: string, ...flags: readonly string[]): SdkProcess {
    return this.sdk.start(['dial', '--identity', member.file, '--service', service, ...flags])
  }

  /** What the fabric API says. */
  async fabric(path: string): Promise<Json[]> {
    using client = new ApiClient(this.#controller, { base: '/fabric/v1', token: this.admin.token! })
    const reply = await client.get(path)
    assert.equal(reply.status, 200, `GET ${path}: ${reply.text.slice(0, 500)}`)
    return reply.body!.data as Json[]
  }

  /** The names of the routers on the way of a circuit; undefined when there is no such circuit. */
  async pathOf(circuitId: string): Promise<readonly string[] | undefined> {
    const circuits = await this.fabric('/circuits?limit=500')
    const found = circuits.find(({ id }) => id === circuitId) as Json & { path: { nodes: { name: string }[] } }
    return found?.path.nodes.map(({ name }) => name)
  }

  /** Waits until each router has one link to each other one. */
  async isLinked(within = 30_000): Promise<void> {
    await this.#hasLinks(({ state }) => state === 'Connected', within)
  }

  /** Waits until, besides, each link has been measured. */
  async isMeshed(within = 30_000): Promise<void> {
    await this.#hasLinks(({ state, cost }) => state === 'Connected' && Number(cost) < UNMEASURED_COST, within)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const router of this.routers.values()) await router[Symbol.asyncDispose]()
    this.#admin[Symbol.dispose]()
    await this.#controller[Symbol.asyncDispose]()
    await this.sdk[Symbol.asyncDispose]()
    await this.#folder[Symbol.asyncDispose]()
  }

  async #hasLinks(isReady: (link: Json) => boolean, within: number): Promise<void> {
    const wanted = (this.routers.size * (this.routers.size - 1)) / 2
    const isFull = async () => {
      const links = await this.fabric('/links?limit=500')
      return links.length === wanted && links.every(isReady)
    }
    await until(`there are ${wanted} links`, isFull, { within, every: 100 })
  }

  get #place(): StockRouterPlace {
    const admin = () => this.#admin
    return { admin, controlAddress: `127.0.0.1:${this.#configuration.port}`, folder: this.#folder.path }
  }

  async #login(): Promise<void> {
    const ca = join(this.#folder.path, 'cas.pem')
    await writeFile(ca, this.#configuration.ca)
    const { username, password } = administrator
    await this.cli.says('edge', 'login', this.#configuration.url, '-u', username, '-p', password, '--ca', ca)
  }

  async #createPolicies(routers: readonly string[]): Promise<void> {
    const open = { semantic: 'AnyOf', serviceRoles: ['#open'] }
    await this.admin.create('service-policies', { ...open, name: 'dial', type: 'Dial', identityRoles: ['#clients'] })
    await this.admin.create('service-policies', { ...open, name: 'bind', type: 'Bind', identityRoles: ['#hosts'] })
    const all = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] }
    await this.admin.create('service-edge-router-policies', { ...all, name: 'services', serviceRoles: ['#all'] })
    for (const name of routers) {
      const near = { semantic: 'AnyOf', edgeRouterRoles: [`#${name}`], identityRoles: [`#near-${name}`] }
      await this.admin.create('edge-router-policies', { ...near, name: `near ${name}` })
    }
  }
}
