/** A controller as a user starts it: a process of its own, on a free port, with a home that may outlive it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Child, type ChildOptions } from './child-process.ts'
import { freePort } from './free-port.ts'
import { until } from './patience.ts'
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts'

export const repository = join(import.meta.dirname, '..', '..')

/** The arguments of Node that run the `weft` command. */
export const weft: readonly string[] = ['--disable-warning=ExperimentalWarning', join(repository, 'packages', 'cli', 'main.ts')]

export const admin = { username: 'admin', password: 'admin-pass-1' } as const

const START_LIMIT = 60_000

export interface StartOptions extends ChildOptions {
  /** Where its data lies; without it, a folder that goes with the process. */
  readonly home?: string
  readonly port?: number
  /** More flags of `weft start`. */
  readonly flags?: readonly string[]
  /** Flags of Node itself. */
  readonly nodeFlags?: readonly string[]
  /** A shell command that ends in `exec "$@"` and prepares what the process runs in. */
  readonly shell?: string
}

export class ControllerProcess implements AsyncDisposable {
  readonly child: Child
  readonly home: string
  readonly port: number
  readonly url: string
  /** The certificates by which it is trusted, PEM. */
  readonly ca: string
  readonly #folder: TemporaryFolder | undefined

  private constructor(child: Child, home: string, port: number, url: string, ca: string, folder?: TemporaryFolder) {
    this.child = child
    this.home = home
    this.port = port
    this.url = url
    this.ca = ca
    this.#folder = folder
  }

  /** Starts `weft start` and waits until it says that it runs. */
  static async start(options: StartOptions = {}): Promise<ControllerProcess> {
    await using made = new AsyncDisposableStack()
    const folder = options.home === undefined ? made.use(await temporaryFolder('home')) : undefined
    const home = options.home ?? folder!.path
    const port = options.port ?? (await freePort())
    const child = made.use(spawnStart(home, port, options))
    const url = await until('the controller runs', () => runningUrl(child), { within: START_LIMIT, every: 20 })
    const ca = await readFile(join(home, 'pki', 'cas.pem'), 'utf8')
    made.move()
    return new ControllerProcess(child, home, port, url, ca, folder)
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
  return new Child(process.execPath, [...weft, ...args], options)
}

function spawnStart(home: string, port: number, options: StartOptions): Child {
  const { username, password } = admin
  const flags = ['start', '--home', home, '--port', `${port}`, '--username', username, '--password', password]
  const args = [...(options.nodeFlags ?? []), ...weft, ...flags, ...(options.flags ?? [])]
  if (options.shell === undefined) return new Child(process.execPath, args, options)
  return new Child('/bin/sh', ['-c', options.shell, 'sh', process.execPath, ...args], options)
}

function runningUrl(child: Child): string | undefined {
  if (child.hasEnded) throw new Error(`the controller ended; it said:\n${child.stdout}${child.stderr}`)
  if (!child.stdout.includes('Ctrl-C stops it.')) return undefined
  return /^ *address +(\S+)$/m.exec(child.stdout)?.[1]
}
