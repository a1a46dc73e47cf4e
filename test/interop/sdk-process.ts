/** A command of the program on the Go SDK that goes on while the test does something: what it tells, as it tells it. */
import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { until } from '../kit/patience.ts'
import type { SdkEvent } from './sdk-client.ts'

const PATIENCE = 30_000
/** What a process is allowed at most, if the test forgets it. */
const LIFE_LIMIT = 600_000

export class SdkProcess implements AsyncDisposable {
  readonly events: SdkEvent[] = []
  /** Settles with its status when it is gone and everything it told has been read. */
  readonly ended: Promise<number | null>
  readonly #child: ChildProcessWithoutNullStreams
  readonly #what: string
  #log = ''
  #hasEnded = false

  constructor(program: string, args: readonly string[]) {
    this.#what = `client ${args.join(' ')}`
    const child = spawn(program, args, { stdio: 'pipe', timeout: LIFE_LIMIT, killSignal: 'SIGKILL' })
    this.#child = child
    // A program that has ended does not hear the answer; what it told before shows why.
    child.stdin.on('error', () => {})
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text
    })
    createInterface({ input: child.stdout }).on('line', (line) => this.events.push(JSON.parse(line)))
    const killNow = () => child.kill('SIGKILL')
    process.once('exit', killNow)
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (status) => {
        this.#hasEnded = true
        process.off('exit', killNow)
        resolve(status)
      })
    })
    this.ended.catch(() => {})
  }

  /** The events of a name so far. */
  all(name: string): readonly SdkEvent[] {
    return this.events.filter(({ event }) => event === name)
  }

  /** Waits for an event of a name, the first unless `at` says otherwise; it must come before the program ends. */
  tells(name: string, { within = PATIENCE, at = 0 } = {}): Promise<SdkEvent> {
    return until(
      `${this.#what} tells ${name}`,
      () => {
        const found = this.all(name)[at]
        assert.ok(found !== undefined || !this.#hasEnded, `it ended without telling ${name}:\n${this.report}`)
        return found
      },
      { within, every: 10 },
    )
  }

  /** Answers what it asked. */
  answer(text: string): void {
    this.#child.stdin.write(`${text}\n`)
  }

  /** Such as one that stops it for a while. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Waits for an end in order. */
  async succeeds(within = PATIENCE): Promise<this> {
    await until(`${this.#what} ends`, () => this.#hasEnded, { within, every: 20 })
    assert.equal(await this.ended, 0, this.report)
    return this
  }

  /** All that it told and logged, for a test that fails. */
  get report(): string {
    return `${this.#what}\n${this.events.map((event) => JSON.stringify(event)).join('\n')}\n${this.#log}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }
}
