/** A controller of ours and routers under it, with what the Fabric API says of them. */
import assert from 'node:assert/strict'
import { ApiClient } from './api-client.ts'
import { BreakableNetwork } from './breakable-network.ts'
import { ControllerProcess } from './controller-process.ts'
import { TestStream } from './management-stream.ts'
import { slack, until } from './patience.ts'
import { type NewRouterProcess, RouterProcess } from './router-process.ts'
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts'

/** What is promised of a network whose parts can reach each other again; twice as much on a busy machine. Milliseconds. */
export const CONVERGENCE = 10_000 * slack

interface ListedLink {
  readonly id: string
  readonly state: string
  readonly sourceRouter: { readonly name: string }
  readonly destRouter: { readonly name: string }
}

export class Mesh implements AsyncDisposable {
  readonly routers: RouterProcess[] = []
  readonly folder: TemporaryFolder
  /** Between routers, and between them and the controller. */
  readonly network = new BreakableNetwork()
  readonly #home: TemporaryFolder
  #controller: ControllerProcess
  #clients: { readonly admin: ApiClient; readonly fabric: ApiClient } | undefined
  #service: string | undefined

  private constructor(controller: ControllerProcess, home: TemporaryFolder, folder: TemporaryFolder) {
    this.#controller = controller
    this.#home = home
    this.folder = folder
  }

  static async start(): Promise<Mesh> {
    const home = await temporaryFolder('mesh-home')
    const folder = await temporaryFolder('mesh')
    return new Mesh(await ControllerProcess.start({ home: home.path }), home, folder)
  }

  get controller(): ControllerProcess {
    return this.#controller
  }

  /** Invites and enrolls a router; it does not run yet. */
  async add(name: string, options: Pick<NewRouterProcess, 'isPrivate' | 'sections'> = {}): Promise<RouterProcess> {
    const proxy = `proxy: { type: http, address: "127.0.0.1:${await this.network.proxyFor(name)}" }`
    const [jwt, folder] = [await this.invite(name), this.folder.path]
    const sections = `${proxy}\n${options.sections ?? ''}`
    const router = await RouterProcess.enroll({ ...options, name, jwt, folder, sections })
    this.network.listensAt(name, router.linkPort)
    this.routers.push(router)
    return router
  }

  async invite(name: string): Promise<string> {
    const { admin } = await this.api()
    const id = await admin.create('edge-routers', { name })
    return String((await admin.detail(`/edge-routers/${id}`))['enrollmentJwt'])
  }

  async endController(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.#hangUp()
    await this.#controller.child.stop(signal)
  }

  /** Starts the controller again after it has ended, over the same data and port. */
  async runController(): Promise<void> {
    const { port } = this.#controller
    this.#controller = await ControllerProcess.start({ home: this.#home.path, port })
  }

  /** The pairs of routers with a link, each as often as there are links; what is not in use says so. */
  async pairs(): Promise<readonly string[]> {
    const links = (await (await this.api()).fabric.list('/links')) as unknown as ListedLink[]
    const shown = ({ state, sourceRouter, destRouter }: ListedLink) => {
      const pair = [sourceRouter.name, destRouter.name].sort().join('-')
      return state === 'Connected' ? pair : `${pair} ${state}`
    }
    return links.map(shown).sort()
  }

  /** What routers themselves say of their links and of their copies of the data model, where it is not what it should be. */
  async disagreements(filter = 'true limit none'): Promise<readonly string[]> {
    const { admin } = await this.api()
    await using stream = await TestStream.open(this.#controller, admin.token)
    const [links, models] = [stream.collect('linksResult'), stream.collect('dataModelResult')]
    const asked = await stream.request('validateLinks', { body: { filter } })
    await until('links are compared', () => links.length === asked.message.body.count)
    const compared = await stream.request('validateDataModel', { body: { routerFilter: filter } })
    await until('models are compared', () => models.length === compared.message.body.count)
    return [
      ...links.flatMap(({ body: { routerName, validateSuccess, message, details } }) => [
        ...(validateSuccess ? [] : [`${routerName}: ${message}`]),
        ...details.flatMap(({ linkId, isValid, ctrlState, routerState }) =>
          isValid ? [] : [`${routerName}: ${linkId} is ${routerState}, the controller says ${ctrlState}`],
        ),
      ]),
      ...models.flatMap(({ body: { componentName, errors } }) => errors.map((error) => `${componentName}: ${error}`)),
    ]
  }

  /** Stores a terminator that no router hosts, as one is left behind by a host that is gone. */
  async leaveTerminator(router: RouterProcess): Promise<string> {
    const { admin } = await this.api()
    this.#service ??= await admin.create('services', { name: 'left behind', encryptionRequired: false })
    const address = `left-${router.name}`
    const terminator = { service: this.#service, router: router.routerId, binding: 'edge', address }
    return await admin.create('terminators', terminator)
  }

  /** Those terminators that are stored. */
  async terminators(): Promise<readonly string[]> {
    return (await (await this.api()).fabric.list('/terminators')).map(({ id }) => String(id))
  }

  /** Which links there are, and which dial of each it is. */
  async linkLives(): Promise<readonly string[]> {
    const links = await (await this.api()).fabric.list('/links')
    return links.map(({ id, iteration }) => `${id} ${iteration}`).sort()
  }

  async online(): Promise<readonly string[]> {
    const routers = await (await this.api()).fabric.list('/routers')
    return routers
      .filter(({ connected }) => connected === true)
      .map(({ name }) => String(name))
      .sort()
  }

  /** Waits until these routers are online with exactly one link for each pair, and that stays so; milliseconds it took. */
  async converges(names: readonly string[], what: string): Promise<number> {
    const sorted = [...names].sort()
    const wanted = sorted.flatMap((one, at) => sorted.slice(at + 1).map((other) => `${one}-${other}`))
    const started = performance.now()
    let last = ''
    const isWhole = async () => {
      const [online, pairs] = [await this.online(), await this.pairs()]
      last = `${online.join()} online, links ${pairs.join(' ')}`
      return online.join() === sorted.join() && pairs.join() === wanted.join()
    }
    await until(what, isWhole, { within: CONVERGENCE, every: 100 }).catch((error: Error) => {
      const logs = this.routers.map(({ name, child }) => `--- ${name}\n${child.stderr.slice(-3_000)}`)
      throw new Error(`${error.message}; ${last}\n${logs.join('\n')}`)
    })
    const took = performance.now() - started
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.ok(await isWhole(), `${what}, and it did not last: ${last}`)
    return took
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hangUp()
    await Promise.all(this.routers.map((router) => router[Symbol.asyncDispose]()))
    // One that was left frozen could not end.
    if (!this.#controller.child.hasEnded) this.#controller.child.signal('SIGCONT')
    await this.#controller[Symbol.asyncDispose]()
    await this.network[Symbol.asyncDispose]()
    await this.folder[Symbol.asyncDispose]()
    await this.#home[Symbol.asyncDispose]()
  }

  /** Administrators of the controller as it runs now. */
  async api() {
    if (this.#clients === undefined) {
      const admin = await ApiClient.login(this.#controller)
      this.#clients = { admin, fabric: new ApiClient(this.#controller, { base: '/fabric/v1', token: admin.token! }) }
    }
    return this.#clients
  }

  #hangUp(): void {
    this.#clients?.admin[Symbol.dispose]()
    this.#clients?.fabric[Symbol.dispose]()
    this.#clients = undefined
  }
}
