/** A process that a test started: what it says is kept, and it ends with the test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const STOP_LIMIT = 10_000

/** How a process ended. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ChildOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
}

/** Node keeps what it has compiled, so that the many starts of a test run cost less. */
const compileCache = join(tmpdir(), 'weft-test-compile-cache')

export class Child implements AsyncDisposable {
  /** Settles when the process is gone and everything it said has been read. */
  readonly ended: Promise<Ending>
  readonly #process: ChildProcess
  #stdout = ''
  #stderr = ''
  #hasEnded = false

  constructor(command: string, args: readonly string[], { cwd, env }: ChildOptions = {}) {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_COMPILE_CACHE: compileCache, ...env },
      ...(cwd && { cwd }),
    })
    this.#process = child
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
    })
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    const killNow = () => child.kill('SIGKILL')
    process.once('exit', killNow)
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => {
        this.#hasEnded = true
        process.off('exit', killNow)
        resolve({ code, signal })
      })
    })
    this.ended.catch(() => {})
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw new Error('the process did not start')
    return this.#process.pid
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get stdout(): string {
    return this.#stdout
  }

  get stderr(): string {
    return this.#stderr
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  /** Sends a signal and waits for the end; answers how it ended and after how many milliseconds. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending & { readonly milliseconds: number }> {
    const started = performance.now()
    if (!this.#hasEnded) this.signal(signal)
    const timer = setTimeout(() => this.signal('SIGKILL'), STOP_LIMIT)
    const ending = await this.ended
    clearTimeout(timer)
    return { ...ending, milliseconds: performance.now() - started }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#hasEnded) await this.stop()
  }
}
