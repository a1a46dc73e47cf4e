/** A controller as a user starts it: a process of its own, on a free port, with a home that may outlive it. */
import { readFile } from 'node:fs/promises'
import { get } from 'node:https'
import { join } from 'node:path'
import { Child, type ChildOptions } from './child-process.ts'
import type { Configuration } from './configuration.ts'
import { freePort } from './free-port.ts'
import { until } from './patience.ts'
import { temporaryFolder } from './temporary-folder.ts'

export const repository = join(import.meta.dirname, '..', '..')

/** The program of the `weft` command. */
export const weft = join(repository, 'packages', 'cli', 'main.ts')

export const admin = { username: 'admin', password: 'admin-pass-1' } as const

const START_LIMIT = 60_000

export interface StartOptions extends ChildOptions {
  /** Where its data lies; without it, a folder that goes with the process. */
  readonly home?: string
  readonly port?: number
  /** Of the administrator at the first start; null leaves it to the command. */
  readonly password?: string | null
  /** Whether its router is started as well. */
  readonly hasRouter?: boolean
  /** More flags of the command. */
  readonly flags?: readonly string[]
  /** Flags of Node itself. */
  readonly nodeFlags?: readonly string[]
  /** A shell command that runs `"$@"`, in surroundings that it prepares. */
  readonly shell?: string
}

export interface RunOptions {
  readonly flags?: readonly string[]
  readonly nodeFlags?: readonly string[]
  /** Goes with the process. */
  readonly folder?: AsyncDisposable
}

interface Place {
  readonly home: string
  readonly port: number
  readonly url: string
  /** The certificates by which it is trusted, PEM. */
  readonly ca: string
}

export class ControllerProcess implements AsyncDisposable {
  readonly child: Child
  readonly home: string
  readonly port: number
  readonly url: string
  readonly ca: string
  readonly #folder: AsyncDisposable | undefined

  private constructor(child: Child, { home, port, url, ca }: Place, folder?: AsyncDisposable) {
    this.child = child
    this.home = home
    this.port = port
    this.url = url
    this.ca = ca
    this.#folder = folder
  }

  /** Runs `weft start` and waits until it says that it runs. */
  static async start(options: StartOptions = {}): Promise<ControllerProcess> {
    await using made = new AsyncDisposableStack()
    const folder = options.home === undefined ? made.use(await temporaryFolder('home')) : undefined
    const home = options.home ?? folder!.path
    const port = options.port ?? (await freePort())
    const child = made.use(spawnStart(home, port, options))
    const url = await until('the controller runs', () => runningUrl(child), { within: START_LIMIT, every: 20 })
    const ca = await readFile(join(home, 'pki', 'cas.pem'), 'utf8')
    made.move()
    return new ControllerProcess(child, { home, port, url, ca }, folder)
  }

  /** Runs `weft controller run` and waits until it answers. */
  static async run(configuration: Configuration, options: RunOptions = {}): Promise<ControllerProcess> {
    await using made = new AsyncDisposableStack()
    const { folder, flags = [], nodeFlags = [] } = options
    if (folder !== undefined) made.use(folder)
    const args = [...nodeFlags, weft, 'controller', 'run', configuration.file, ...flags]
    const child = made.use(new Child(process.execPath, args))
    const isAnswering = () => {
      if (child.hasEnded) throw new Error(`the controller ended; it said:\n${child.stdout}${child.stderr}`)
      return answers(`${configuration.url}/version`, configuration.ca)
    }
    await until('the controller answers', isAnswering, { within: START_LIMIT })
    made.move()
    return new ControllerProcess(child, configuration, folder)
  }

  get pid(): number {
    return this.child.pid
  }

  /** Ends it at once, without a chance to finish anything. */
  async kill(): Promise<void> {
    await this.child.stop('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.child[Symbol.asyncDispose]()
    await this.#folder?.[Symbol.asyncDispose]()
  }
}

/** Runs the `weft` command to its end, or until it is disposed of. */
export function runWeft(args: readonly string[], options: ChildOptions = {}): Child {
  return new Child(process.execPath, [weft, ...args], options)
}

/** `weft start`, without waiting for anything. */
export function spawnStart(home: string, port: number, options: StartOptions): Child {
  const { password = admin.password } = options
  const credentials = password === null ? [] : ['--username', admin.username, '--password', password]
  const router = options.hasRouter ? [] : ['--no-router']
  const flags = ['start', '--home', home, '--port', `${port}`, ...router, ...credentials]
  const args = [...(options.nodeFlags ?? []), weft, ...flags, ...(options.flags ?? [])]
  if (options.shell === undefined) return new Child(process.execPath, args, options)
  return new Child('/bin/sh', ['-c', options.shell, 'sh', process.execPath, ...args], options)
}

function runningUrl(child: Child): string | undefined {
  if (child.hasEnded) throw new Error(`the controller ended; it said:\n${child.stdout}${child.stderr}`)
  if (!child.stdout.includes('Ctrl-C stops it.')) return undefined
  return /^ *address +(\S+)$/m.exec(child.stdout)?.[1]
}

/** True when a document is served; false while nobody answers. */
function answers(url: string, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { ca, agent: false, timeout: 2_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(false))
  })
}
