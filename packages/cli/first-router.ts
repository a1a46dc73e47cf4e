/**
 * The router of the network that `weft start` keeps: made, invited and enrolled at the first start, and from then on run
 * beside the controller as a process of its own. Its file is an ordinary one, to be edited or run with `weft router run`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Controller, RootLogger } from '@weft/controller'
import { AddressFault, type ProtocolAddress, parseProtocolAddress } from '@weft/model/config-file'
import {
  enrollConfiguredRouter,
  loadRouterConfig,
  unknownAt,
  writeEndpointsFile,
  writeRouterConfig,
} from '@weft/router'
import type { Home } from './home.ts'

const NAME = 'router-1'
const FIRST_PORT = 3022
const PORTS_TO_TRY = 100
const ONLINE_MILLISECONDS = 15_000
const LOOK_MILLISECONDS = 50
const STOP_MILLISECONDS = 5_000
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 30_000

/** Everybody may enter by a public router, and every router may carry every service, until somebody decides otherwise. */
const firstPolicies = {
  edgeRouterPolicies: { name: 'all-endpoints-public-routers', identityRoles: ['#all'], edgeRouterRoles: ['#public'] },
  serviceEdgeRouterPolicies: { name: 'all-routers-all-services', serviceRoles: ['#all'], edgeRouterRoles: ['#all'] },
} as const

export interface FirstRouterDeps {
  readonly controller: Controller
  readonly home: Home
  readonly log: RootLogger
}

export class FirstRouter implements AsyncDisposable {
  readonly name: string
  readonly configFile: string
  readonly #routerId: string
  readonly #deps: FirstRouterDeps
  #child: ChildProcess | undefined
  #pause = FIRST_PAUSE
  #isStopped = false

  private constructor(
    deps: FirstRouterDeps,
    router: { readonly id: string; readonly name: string },
    configFile: string,
  ) {
    this.#deps = deps
    this.#routerId = router.id
    this.name = router.name
    this.configFile = configFile
  }

  /** Undefined when the router was deleted: it is not made a second time. */
  static async start(deps: FirstRouterDeps): Promise<FirstRouter | undefined> {
    const directory = join(deps.home.directory, 'router')
    const configFile = join(directory, 'router.yml')
    const { view } = deps.controller.core.kit
    const isKnown = await exists(configFile)
    let row = [...view.find('routers', 'name', NAME)][0]
    if (row === undefined) {
      if (isKnown) return undefined
      row = await createRouter(deps)
    }
    if (!isKnown) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      await writeFile(configFile, await configOf(deps.home, directory), { mode: 0o600 })
    }
    if (row.fingerprint === null) await enroll(deps, row.id, configFile, directory)
    // The controller may have moved to another port since; its address is not in the router's file for that reason.
    await writeEndpointsFile(join(directory, 'endpoints.yml'), [unknownAt(controlAddress(deps.home))])
    const router = new FirstRouter(deps, row, configFile)
    router.#run()
    return router
  }

  /** Whether it has connected; false when that takes longer than anybody wants to watch. */
  async isOnline(): Promise<boolean> {
    for (let waited = 0; waited < ONLINE_MILLISECONDS && !this.#isStopped; waited += LOOK_MILLISECONDS) {
      if (this.#deps.controller.routers.connected(this.#routerId) !== undefined) return true
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS))
    }
    return false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    const tooLong = setTimeout(() => child.kill('SIGKILL'), STOP_MILLISECONDS)
    await ended
    clearTimeout(tooLong)
  }

  #run(): void {
    const { level } = this.#deps.log
    // The terminal's Ctrl-C reaches it as well, so it may be gone before it is told to stop.
    const child = spawn(
      process.execPath,
      [process.argv[1]!, 'router', 'run', this.configFile, '--log-level', level, '--log-format', 'text'],
      // By the channel it notices when this process is gone, whatever ended it.
      { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    )
    this.#child = child
    const startedAt = Date.now()
    child.once('exit', (code, signal) => this.#ended(Date.now() - startedAt, code ?? signal))
    child.once('error', (err) => this.#deps.log.error('the router cannot be started', { err }))
  }

  #ended(lived: number, how: number | string | null): void {
    if (this.#isStopped) return
    this.#pause = lived > LONGEST_PAUSE ? FIRST_PAUSE : Math.min(LONGEST_PAUSE, this.#pause * 2)
    this.#deps.log.warn('the router ended and is started again', { how, inMilliseconds: this.#pause })
    setTimeout(() => this.#isStopped || this.#run(), this.#pause).unref()
  }
}

function createRouter({ controller }: FirstRouterDeps) {
  return controller.core.kit.writeAsController((change) => {
    for (const [table, policy] of Object.entries(firstPolicies)) {
      const kind = table as keyof typeof firstPolicies
      if (change.view.find(kind, 'name', policy.name).next().done) change.create(kind, { ...policy, semantic: 'AnyOf' })
    }
    const values = { name: NAME, kind: 'edge', roleAttributes: ['public'], isTunnelerEnabled: true }
    return change.create('routers', values, { idKind: 'short' })
  })
}

async function configOf({ address }: Home, directory: string): Promise<string> {
  const port = await freePort()
  return writeRouterConfig({
    name: NAME,
    directory,
    controller: undefined,
    host: address,
    edgePort: port,
    linkPort: port,
    isWebSocket: false,
    isPrivate: false,
    tunnel: 'host',
    lanInterface: undefined,
    isEdge: true,
  })
}

async function enroll(
  { controller }: FirstRouterDeps,
  routerId: string,
  file: string,
  baseDirectory: string,
): Promise<void> {
  const { view } = controller.core.kit
  const invitation = [...view.find('enrollments', 'edgeRouterId', routerId)][0]
  if (invitation?.jwt == null)
    throw new Error(`router ${NAME} has no invitation; delete it, and ${file}, and start again`)
  const { config } = loadRouterConfig(file, process.env)
  await enrollConfiguredRouter(config, invitation.jwt, { baseDirectory })
}

function controlAddress({ url }: Home): ProtocolAddress {
  const address = parseProtocolAddress(`tls:${new URL(url).host}`, ['tls'], { lowestPort: 1, hostMayBeEmpty: false })
  if (address instanceof AddressFault) throw new Error(`routers cannot reach ${url}`)
  return address
}

/** The usual port, or the first free one after it. */
async function freePort(): Promise<number> {
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS_TO_TRY; port++) if (await isFree(port)) return port
  return FIRST_PORT
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, () => probe.close(() => resolve(true)))
  })
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
