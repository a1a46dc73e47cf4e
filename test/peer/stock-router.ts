/** A stock edge router as its operator runs it: enrolled by its token, from a configuration file, as a process of its own. */
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiClient } from '../kit/api-client.ts'
import { Child } from '../kit/child-process.ts'
import { freePort } from '../kit/free-port.ts'
import { until } from '../kit/patience.ts'
import { findPeer } from '../runner/find-peer.ts'
import { PeerCli } from './peer-cli.ts'

export interface StockRouterOptions {
  /** What the router is in the controller, besides its name. */
  readonly row?: Readonly<Record<string, unknown>>
  /** How it tunnels, in the words of its configuration; without it, not at all. */
  readonly tunnel?: Readonly<Record<string, unknown>>
  /** Sections of its configuration in place of the usual ones; undefined leaves one out. */
  readonly sections?: Readonly<Record<string, unknown>>
}

/** Where it belongs. */
export interface StockRouterPlace {
  /** As it is at the time: a controller that starts again has another one. */
  readonly admin: () => ApiClient
  /** Of the control channel, without a scheme. */
  readonly controlAddress: string
  /** For the folder of the router. */
  readonly folder: string
}

/** Long enough for a start on a busy machine. */
const ONLINE_LIMIT = 30_000

export class StockRouter implements AsyncDisposable {
  readonly id: string
  readonly name: string
  /** Where others dial it. */
  readonly port: number
  readonly #file: string
  readonly #place: StockRouterPlace
  #child: Child

  private constructor(parts: Pick<StockRouter, 'id' | 'name' | 'port'>, file: string, place: StockRouterPlace) {
    this.id = parts.id
    this.name = parts.name
    this.port = parts.port
    this.#file = file
    this.#place = place
    this.#child = this.#spawn()
  }

  /** Creates it in the controller, enrolls it, runs it and waits until it is online. */
  static async start(
    place: StockRouterPlace,
    name: string,
    { row = {}, tunnel, sections = {} }: StockRouterOptions = {},
  ): Promise<StockRouter> {
    const admin = place.admin()
    const folder = join(place.folder, name)
    await mkdir(folder)
    const isTunnelerEnabled = tunnel !== undefined
    const id = await admin.create('edge-routers', { name, isTunnelerEnabled, roleAttributes: [name], ...row })
    const { enrollmentJwt } = await admin.detail(`/edge-routers/${id}`)
    const token = join(folder, 'router.jwt')
    await writeFile(token, String(enrollmentJwt))
    const port = await freePort()
    const file = await writeRouterConfiguration(folder, place, port, { tunnel, sections })
    await new PeerCli(folder).says('router', 'enroll', file, '--jwt', token, '--keyAlg', 'EC', '--cliagent=false')
    await using made = new AsyncDisposableStack()
    const router = made.use(new StockRouter({ id, name, port }, file, place))
    await router.isOnline(true)
    made.move()
    return router
  }

  get pid(): number {
    return this.#child.pid
  }

  /** What it logged, for a test that fails. */
  get log(): string {
    return this.#child.stdout + this.#child.stderr
  }

  /** Waits until the controller says that it is, or is not, online. */
  async isOnline(wanted: boolean, within = ONLINE_LIMIT): Promise<void> {
    const isAsWanted = async () => {
      assert.ok(!wanted || !this.#child.hasEnded, `router ${this.name} ended; it said:\n${this.log}`)
      return (await this.#place.admin().detail(`/edge-routers/${this.id}`))['isOnline'] === wanted
    }
    await until(`router ${this.name} is ${wanted ? 'on' : 'off'}line`, isAsWanted, { within, every: 100 })
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.signal(signal)
  }

  /** Ends it at once, without a chance to finish anything. */
  async kill(): Promise<void> {
    await this.#child.stop('SIGKILL')
  }

  /** Runs it again after its end, without waiting for anything. */
  restart(...flags: readonly string[]): void {
    assert.ok(this.#child.hasEnded, `router ${this.name} still runs`)
    this.#child = this.#spawn(flags)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stop('SIGKILL')
  }

  #spawn(flags: readonly string[] = []): Child {
    const folder = join(this.#place.folder, this.name)
    const args = ['router', 'run', this.#file, '--cliagent=false', '--log-formatter', 'text', ...flags]
    return new Child(findPeer(process.env)!, args, { cwd: folder, env: { HOME: folder } })
  }
}

/** Edge and links on one port, as the stock generator writes it. JSON is YAML too. */
async function writeRouterConfiguration(
  folder: string,
  { controlAddress }: StockRouterPlace,
  port: number,
  {
    tunnel,
    sections,
  }: Pick<StockRouterOptions, 'sections'> & { readonly tunnel: StockRouterOptions['tunnel'] | undefined },
): Promise<string> {
  const address = `127.0.0.1:${port}`
  const tls = `tls:${address}`
  const part = (name: string) => join(folder, name)
  const configuration = {
    v: 3,
    identity: { cert: part('client.cert'), server_cert: part('server.cert'), key: part('key'), ca: part('cas') },
    ctrl: { endpoint: `tls:${controlAddress}`, endpointsFile: part('endpoints.yml') },
    link: { dialers: [{ binding: 'transport' }], listeners: [{ binding: 'transport', bind: tls, advertise: tls }] },
    listeners: [
      { binding: 'edge', address: tls, options: { advertise: address, connectTimeoutMs: 5_000 } },
      ...(tunnel === undefined ? [] : [{ binding: 'tunnel', options: tunnel }]),
    ],
    edge: { csr: { sans: { dns: ['localhost'], ip: ['127.0.0.1'] } } },
    metrics: { reportInterval: '5s' },
    ...sections,
  }
  const file = part('router.yml')
  await writeFile(file, JSON.stringify(configuration))
  return file
}
