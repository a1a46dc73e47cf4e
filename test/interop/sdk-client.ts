/**
 * The program on the public Go SDK, built once for the tests of a file and run once per command.
 *
 * It tells each step as a line of JSON. Where it asks for something, as it would ask a person, the test answers.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Json } from '../kit/api-client.ts'
import { type TemporaryFolder, temporaryFolder } from '../kit/temporary-folder.ts'
import { findGo } from '../runner/find-go.ts'
import { SdkProcess } from './sdk-process.ts'

const COMMAND_LIMIT = 60_000
/** The first build on a machine fetches the SDK and compiles all of it. */
const BUILD_LIMIT = 900_000

/** One line of what the program told. */
export interface SdkEvent extends Json {
  readonly event: string
}

/** How a command ended, and what it told until then. */
export interface SdkRun {
  readonly status: number | null
  readonly events: readonly SdkEvent[]
  /** What the SDK logged. */
  readonly log: string
}

/** Answers a question of the program, now or when something has been done; undefined for what is not a question. */
export type Answer = (event: SdkEvent) => string | undefined | Promise<string | undefined>

export class SdkClient implements AsyncDisposable {
  /** Where the program lies. */
  readonly program: string
  readonly #folder: TemporaryFolder

  private constructor(folder: TemporaryFolder) {
    this.#folder = folder
    this.program = join(folder.path, process.platform === 'win32' ? 'client.exe' : 'client')
  }

  static async build(): Promise<SdkClient> {
    const go = findGo(process.env)
    if (go === undefined) throw new Error('no Go; put `go` on the PATH, or name it with GO_BIN')
    await using made = new AsyncDisposableStack()
    const client = made.use(new SdkClient(await temporaryFolder('interop')))
    const args = ['build', '-o', client.program, './client']
    const child = spawn(go, args, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'pipe'], timeout: BUILD_LIMIT })
    const ended = ending(child)
    const said = await Promise.all([text(child.stdout), text(child.stderr)])
    assert.equal(await ended, 0, `go ${args.join(' ')}\n${said.join('')}`)
    made.move()
    return client
  }

  /** Starts a command, and goes on. */
  start(args: readonly string[]): SdkProcess {
    return new SdkProcess(this.program, args)
  }

  /** Runs a command to its end, whatever that is. */
  async run(args: readonly string[], answer: Answer = () => undefined): Promise<SdkRun> {
    const child = spawn(this.program, args, { stdio: 'pipe', timeout: COMMAND_LIMIT, killSignal: 'SIGKILL' })
    const ended = ending(child)
    const log = text(child.stderr)
    // A program that has ended does not hear the answer; what it told before shows why.
    child.stdin.on('error', () => {})
    const events: SdkEvent[] = []
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        const event = JSON.parse(line) as SdkEvent
        events.push(event)
        const said = await answer(event)
        if (said !== undefined) child.stdin.write(`${said}\n`)
      }
      return { status: await ended, events, log: await log }
    } finally {
      child.kill('SIGKILL')
    }
  }

  /** Runs a command that must succeed; answers what it told, by event. */
  async tells(args: readonly string[], answer?: Answer): Promise<SdkTold> {
    const { status, events, log } = await this.run(args, answer)
    assert.equal(
      status,
      0,
      `client ${args.join(' ')}\n${events.map((event) => JSON.stringify(event)).join('\n')}\n${log}`,
    )
    return new SdkTold(events)
  }

  /** Runs a command that must fail in order; answers what it told last. */
  async fails(args: readonly string[], answer?: Answer): Promise<SdkEvent> {
    const { status, events, log } = await this.run(args, answer)
    const last = events.at(-1)
    assert.deepEqual(
      [status, last?.event],
      [1, 'failed'],
      `client ${args.join(' ')}\n${JSON.stringify(events)}\n${log}`,
    )
    return last!
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#folder[Symbol.asyncDispose]()
  }
}

/** The events of a command that succeeded. */
export class SdkTold {
  readonly events: readonly SdkEvent[]

  constructor(events: readonly SdkEvent[]) {
    this.events = events
  }

  /** The events of a name. */
  all(name: string): readonly SdkEvent[] {
    return this.events.filter(({ event }) => event === name)
  }

  /** The only event of a name. */
  one(name: string): SdkEvent {
    const found = this.all(name)
    assert.equal(found.length, 1, `${found.length} events are called ${name}: ${JSON.stringify(this.events)}`)
    return found[0]!
  }
}

function ending(child: ReturnType<typeof spawn>): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject)
  child.once('close', resolve)
  return promise
}
