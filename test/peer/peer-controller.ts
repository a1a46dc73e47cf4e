/** A stock controller as its operator runs it: from a configuration file and a PKI, as a process of its own. */
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Child } from '../kit/child-process.ts'
import { admin } from '../kit/controller-process.ts'
import { freePort } from '../kit/free-port.ts'
import { until } from '../kit/patience.ts'
import { weftSays } from '../kit/weft-command.ts'
import { findPeer } from '../runner/find-peer.ts'
import { PeerCli } from './peer-cli.ts'
import { stockConfiguration } from './stock-configuration.ts'

/** Where its certificates are, in the words of its configuration. */
export interface PeerCertificates {
  readonly identity: Readonly<Record<string, string>>
  readonly signingCert: Readonly<Record<string, string>>
}

export interface PeerControllerOptions {
  /** How it dials routers, in the words of its configuration; without it, not at all. */
  readonly dialer?: Readonly<Record<string, unknown>>
}

export class PeerController implements AsyncDisposable {
  readonly url: string
  /** Of the control channel, without a scheme. */
  readonly controlAddress: string
  /** The certificates by which it is trusted, PEM. */
  readonly ca: string
  /** Logged in as the administrator. */
  readonly cli: PeerCli
  readonly #run: () => Promise<Child>
  #child: Child

  private constructor(
    place: Pick<PeerController, 'url' | 'controlAddress' | 'ca'>,
    cli: PeerCli,
    run: () => Promise<Child>,
    child: Child,
  ) {
    this.url = place.url
    this.controlAddress = place.controlAddress
    this.ca = place.ca
    this.cli = cli
    this.#run = run
    this.#child = child
  }

  /** Starts one in a folder, and waits until its administrator can log in. */
  static async start(
    folder: string,
    { identity, signingCert }: PeerCertificates,
    { dialer }: PeerControllerOptions = {},
  ): Promise<PeerController> {
    const cli = new PeerCli(folder)
    const address = `127.0.0.1:${await freePort()}`
    const controlAddress = `127.0.0.1:${await freePort()}`
    await mkdir(join(folder, 'db'))
    const file = join(folder, 'stock.json')
    // JSON is YAML too.
    const configuration = {
      ...stockConfiguration({ address, controlAddress, signingCert, dialer }),
      db: join(folder, 'db', 'stock.db'),
      identity,
    }
    await writeFile(file, JSON.stringify(configuration))
    const { username, password } = admin
    const credentials = ['-u', username, '-p', password]
    await cli.says('controller', 'edge', 'init', file, '--cliagent=false', ...credentials, '-n', 'Default Admin')
    const url = `https://${address}`
    const run = async () => {
      await using made = new AsyncDisposableStack()
      const child = made.use(new Child(findPeer(process.env)!, ['controller', 'run', file, '--cliagent=false']))
      const isReady = async () => {
        assert.ok(!child.hasEnded, `the stock controller ended; it said:\n${child.stdout}${child.stderr}`)
        const { status } = await cli.run('edge', 'login', url, ...credentials, '--ca', identity['ca']!)
        return status === 0 || undefined
      }
      await until('the stock controller answers', isReady, { within: 60_000, every: 500 })
      made.move()
      return child
    }
    const ca = await readFile(identity['ca']!, 'utf8')
    return new PeerController({ url, controlAddress, ca }, cli, run, await run())
  }

  /** Ends it at once, and starts it again over the same data. */
  async restart(): Promise<void> {
    await this.#child.stop('SIGKILL')
    this.#child = await this.#run()
  }

  /** What it logged, for a test that fails. */
  get log(): string {
    return this.#child.stdout + this.#child.stderr
  }

  /** Starts one in a folder from a PKI of its own. */
  static async startFromNothing(folder: string, options: PeerControllerOptions = {}): Promise<PeerController> {
    const said = await weftSays(
      ...['pki', 'create', '--pki-root', join(folder, 'pki'), '--trust-domain', 'peer.example', '--json'],
    )
    const made = JSON.parse(said) as Record<string, { files: Record<'cert' | 'chain' | 'key', string> }>
    const [client, server, intermediate] = [made['client']!.files, made['server']!.files, made['intermediate']!.files]
    const identity = {
      cert: client.chain,
      key: client.key,
      server_cert: server.chain,
      server_key: server.key,
      ca: made['root']!.files.cert,
    }
    const signingCert = { cert: intermediate.cert, key: intermediate.key }
    return await PeerController.start(folder, { identity, signingCert }, options)
  }

  /** The token that the CLI wrote for something it created. */
  async invitation(...create: readonly string[]): Promise<string> {
    const file = `${create.at(-1)}.jwt`
    await this.cli.says('edge', 'create', ...create, '-o', file)
    return readFile(join(this.cli.folder, file), 'utf8')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]()
  }
}
