/** The TLS ports of the router: links and clients may share one, told apart by what they ask for. */
import type { Identity } from '@weft/pki'
import { TlsPort, type WireLog } from '@weft/wire'

export interface PortPlace {
  readonly host: string
  readonly port: number
}

export interface TlsPortsDeps {
  readonly identity: () => Identity
  readonly log: WireLog
}

export interface TlsPortsOptions {
  /** Milliseconds. */
  readonly handshakeTimeout: number
}

/** The use of a port. It is closed when nobody uses it any more. */
export interface PortUse extends AsyncDisposable {
  readonly port: TlsPort
}

interface SharedPort {
  readonly opening: Promise<TlsPort>
  users: number
}

export class TlsPorts implements AsyncDisposable {
  readonly #deps: TlsPortsDeps
  readonly #options: TlsPortsOptions
  readonly #ports = new Map<string, SharedPort>()
  readonly #open = new Set<TlsPort>()

  constructor(deps: TlsPortsDeps, options: TlsPortsOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** The port at that place, opened when it is asked for first. Rejects when it cannot be. */
  async use(place: PortPlace): Promise<PortUse> {
    const key = `${place.host}:${place.port}`
    const shared = this.#ports.get(key) ?? { opening: this.#listen(place), users: 0 }
    this.#ports.set(key, shared)
    shared.users++
    const giveBack = async () => {
      shared.users--
      if (shared.users > 0) return
      if (this.#ports.get(key) === shared) this.#ports.delete(key)
      await this.#close(await shared.opening)
    }
    try {
      return { port: await shared.opening, [Symbol.asyncDispose]: giveBack }
    } catch (error) {
      if (this.#ports.get(key) === shared) this.#ports.delete(key)
      throw error
    }
  }

  /** Shows renewed certificates to new connections. */
  renew(identity: Identity): void {
    for (const port of this.#open) port.renew(material(identity))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open].map((port) => this.#close(port)))
  }

  async #listen({ host, port }: PortPlace): Promise<TlsPort> {
    const { identity, log } = this.#deps
    const opened = await TlsPort.open({ host, port, tls: material(identity()), ...this.#options }, { log })
    this.#open.add(opened)
    return opened
  }

  async #close(port: TlsPort): Promise<void> {
    if (this.#open.delete(port)) await port[Symbol.asyncDispose]()
  }
}

function material({ servers }: Identity) {
  return { servers: servers.map(({ certPem, keyPem }) => ({ certPem, keyPem })) }
}
