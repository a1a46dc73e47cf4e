/** A controller of ours with nothing in it, and the peer's CLI logged in to it. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { admin, ControllerProcess } from '../kit/controller-process.ts'
import { type TemporaryFolder, temporaryFolder } from '../kit/temporary-folder.ts'
import { PeerCli } from './peer-cli.ts'

export class PeerNetwork implements AsyncDisposable {
  readonly controller: ControllerProcess
  readonly cli: PeerCli
  readonly #folder: TemporaryFolder

  private constructor(controller: ControllerProcess, cli: PeerCli, folder: TemporaryFolder) {
    this.controller = controller
    this.cli = cli
    this.#folder = folder
  }

  /** Starts both and builds what a test needs; when that fails, nothing is left behind. */
  static async start(build?: (network: PeerNetwork) => Promise<void>): Promise<PeerNetwork> {
    await using made = new AsyncDisposableStack()
    const folder = made.use(await temporaryFolder('peer'))
    const cli = new PeerCli(folder.path)
    const controller = made.use(await ControllerProcess.start())
    const network = new PeerNetwork(controller, cli, folder)
    await cli.says('edge', 'login', controller.url, ...network.credentials, '--ca', network.caFile)
    await build?.(network)
    made.move()
    return network
  }

  /** The flags by which the administrator logs in. */
  get credentials(): readonly string[] {
    return ['-u', admin.username, '-p', admin.password]
  }

  /** The file with the certificates by which the controller is trusted. */
  get caFile(): string {
    return join(this.controller.home, 'pki', 'cas.pem')
  }

  /** Where a file of the CLI lies. */
  path(name: string): string {
    return join(this.cli.folder, name)
  }

  /** Writes a file for the CLI to read, and answers where it lies. */
  async write(name: string, content: unknown): Promise<string> {
    await writeFile(this.path(name), typeof content === 'string' ? content : JSON.stringify(content))
    return this.path(name)
  }

  /** What the CLI wrote into a file. */
  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8')
  }

  /** A certificate authority that the CLI makes: its certificate and its key. */
  async makeCa(name: string, ...flags: readonly string[]): Promise<{ readonly cert: string; readonly key: string }> {
    const root = this.path('pki')
    await this.cli.says('pki', 'create', 'ca', '--pki-root', root, '--ca-file', name, '--ca-name', name, ...flags)
    return { cert: this.caCert(name), key: join(root, name, 'keys', `${name}.key`) }
  }

  /** Where the certificate of such an authority lies. */
  caCert(name: string): string {
    return this.path(join('pki', name, 'certs', `${name}.cert`))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.controller[Symbol.asyncDispose]()
    await this.#folder[Symbol.asyncDispose]()
  }
}
