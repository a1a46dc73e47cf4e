/**
 * The stock peer's command line, run as its users run it: one process per command, exit status and output judged.
 *
 * Its configuration lies in a folder of the test, so that neither the logins of whoever runs the tests nor those of
 * another test are seen or touched.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { findPeer } from '../runner/find-peer.ts'

const COMMAND_LIMIT = 30_000
const OUTPUT_LIMIT = 16 * 1024 * 1024

export type Json = Record<string, unknown>

/** How a command ended. */
export interface Said {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export class PeerCli {
  readonly folder: string
  readonly #program: string

  constructor(folder: string) {
    const program = findPeer(process.env)
    if (program === undefined) throw new Error('no stock peer; put `ziti` on the PATH, or name it with ZITI_BIN')
    this.#program = program
    this.folder = folder
  }

  /** Runs a command to its end, whatever that is. */
  run(...args: readonly string[]): Promise<Said> {
    const env = { PATH: process.env.PATH, HOME: this.folder, ZITI_CONFIG_DIR: join(this.folder, 'ziti') }
    const options = { cwd: this.folder, env, timeout: COMMAND_LIMIT, maxBuffer: OUTPUT_LIMIT }
    const { promise, resolve, reject } = Promise.withResolvers<Said>()
    const child = execFile(this.#program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ status: 0, stdout, stderr: plain(stderr) })
      else if (typeof error.code === 'number') resolve({ status: error.code, stdout, stderr: plain(stderr) })
      else reject(new Error(`ziti ${args.join(' ')} did not end by itself`, { cause: error }))
    })
    child.stdin?.end()
    return promise
  }

  /** Runs a command that must succeed, and answers what it printed. */
  async says(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.run(...args)
    assert.equal(status, 0, `ziti ${args.join(' ')}\n${stdout}\n${stderr}`)
    return plain(stdout)
  }

  /** Runs a command that must succeed with `-j`, and answers the document that it printed, before whatever else. */
  async json(...args: readonly string[]): Promise<Json> {
    const said = await this.says(...args, '-j')
    const [document = said] = /^\{$.*?^\}$/ms.exec(said) ?? []
    return JSON.parse(document)
  }

  /** The entities of a list that match a filter. */
  async list(collection: string, filter = 'true limit none'): Promise<Json[]> {
    const { data } = await this.json('edge', 'list', collection, filter)
    assert.ok(Array.isArray(data), `no list of ${collection}`)
    return data
  }

  /** The one entity of a list that has a name. */
  async named(collection: string, name: string): Promise<Json> {
    const found = await this.list(collection, `name = "${name}"`)
    assert.equal(found.length, 1, `${found.length} ${collection} are called ${name}`)
    return found[0]!
  }

  async idOf(collection: string, name: string): Promise<string> {
    return String((await this.named(collection, name))['id'])
  }

  /** Runs a command that must fail in order, and answers what it said about it. */
  async refuses(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.run(...args)
    assert.equal(status, 1, `ziti ${args.join(' ')}\n${stdout}\n${stderr}`)
    return stderr
  }
}

/** The text without colours and without what moves the cursor. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is removed
  return text.replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, '')
}
