/** A router as an operator runs it: enrolled in a folder of the test, and a process of its own that may be ended and come back. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { enrollConfiguredRouter, loadRouterConfig, writeRouterConfig } from '@weft/router'
import { Child } from './child-process.ts'
import { repository } from './controller-process.ts'
import { freePort } from './free-port.ts'
import { until } from './patience.ts'

const weft = join(repository, 'packages', 'cli', 'main.ts')
const START_LIMIT = 60_000

export interface NewRouterProcess {
  readonly name: string
  /** The token it was invited by. */
  readonly jwt: string
  /** Where its files are to lie. */
  readonly folder: string
  /** Whether it only dials, and no other router dials it. */
  readonly isPrivate?: boolean
  /** More sections of the configuration, as YAML. */
  readonly sections?: string
}

export interface RunRouterOptions {
  /** Of the command; one that runs without a local socket unless told otherwise. */
  readonly flags?: readonly string[]
  /** Of Node itself. */
  readonly nodeFlags?: readonly string[]
}

export class RouterProcess implements AsyncDisposable {
  readonly name: string
  readonly routerId: string
  readonly file: string
  readonly linkPort: number
  #child: Child | undefined

  private constructor(facts: { name: string; routerId: string; file: string; linkPort: number }) {
    this.name = facts.name
    this.routerId = facts.routerId
    this.file = facts.file
    this.linkPort = facts.linkPort
  }

  /** Writes the configuration and enrolls; does not run it. */
  static async enroll({
    name,
    jwt,
    folder,
    isPrivate = false,
    sections = '',
  }: NewRouterProcess): Promise<RouterProcess> {
    const directory = join(folder, name)
    await mkdir(directory, { recursive: true })
    const file = join(directory, `${name}.yml`)
    const [edgePort, linkPort] = [await freePort(), await freePort()]
    const text = writeRouterConfig({
      ...{ name, directory, edgePort, linkPort },
      controller: undefined,
      host: '127.0.0.1',
      isWebSocket: false,
      isPrivate,
      tunnel: 'none',
      lanInterface: undefined,
      isEdge: true,
    })
    await writeFile(file, `${text}\n${sections}`)
    const { config } = loadRouterConfig(file, process.env)
    const { routerId } = await enrollConfiguredRouter(config, jwt, { baseDirectory: directory, keyKind: 'P-256' })
    return new RouterProcess({ name, routerId, file, linkPort })
  }

  /** What it is now; throws when it does not run. */
  get child(): Child {
    if (this.#child === undefined) throw new Error(`${this.name} does not run`)
    return this.#child
  }

  /** Runs `weft router run`, and waits until it says that it runs. */
  async run({ flags = ['--no-cliagent'], nodeFlags = [] }: RunRouterOptions = {}): Promise<void> {
    const args = [...nodeFlags, weft, 'router', 'run', this.file, ...flags]
    const child = new Child(process.execPath, args, { cwd: join(this.file, '..') })
    this.#child = child
    const isRunning = () => {
      if (child.hasEnded) throw new Error(`${this.name} ended; it said:\n${child.stdout}${child.stderr}`)
      return child.stderr.includes('router runs')
    }
    await until(`${this.name} runs`, isRunning, { within: START_LIMIT })
  }

  async kill(): Promise<void> {
    await this.child.stop('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child === undefined) return
    // One that was left frozen could not end.
    if (!this.#child.hasEnded) this.#child.signal('SIGCONT')
    await this.#child[Symbol.asyncDispose]()
  }
}
