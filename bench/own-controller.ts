/**
 * Starts our controller as a user would, in a home of its own that is gone afterwards.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MAIN = join(import.meta.dirname, '..', 'packages', 'cli', 'main.ts')

export interface OwnControllerOptions {
  /** Where to write CPU profiles of the controller's threads. */
  readonly profileDirectory?: string | undefined
}

export class OwnController implements AsyncDisposable {
  readonly url: string
  readonly username = 'admin'
  readonly password = 'only-for-a-benchmark'
  readonly home: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, home: string, port: number) {
    this.#child = child
    this.home = home
    this.url = `https://127.0.0.1:${port}`
  }

  get pid(): number {
    return this.#child.pid!
  }

  static async start({ profileDirectory }: OwnControllerOptions = {}): Promise<OwnController> {
    const home = await mkdtemp(join(tmpdir(), 'weft-bench-'))
    const port = await freePort()
    const profile = profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`]
    const start = ['start', '--home', join(home, 'data'), '--port', String(port)]
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', ...profile, MAIN, ...start, '--password', 'only-for-a-benchmark'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const controller = new OwnController(child, home, port)
    try {
      await untilRunning(child)
    } catch (error) {
      await controller[Symbol.asyncDispose]()
      throw error
    }
    return controller
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM')
      await once(this.#child, 'exit')
    }
    await rm(this.home, { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Its greeting says that it serves. */
function untilRunning(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4_096)
      if (printed.includes('Ctrl-C stops it')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`the controller ended with status ${code}`)))
    child.once('error', reject)
  })
}
