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

export class TlsPorts implements AsyncDisposable {
  readonly #deps: TlsPortsDeps
  readonly #options: TlsPortsOptions
  readonly #ports = new Map<string, TlsPort>()

  constructor(deps: TlsPortsDeps, options: TlsPortsOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** The port at that place, opened when it is asked for first. Rejects when it cannot be. */
  async at({ host, port }: PortPlace): Promise<TlsPort> {
    const key = `${host}:${port}`
    const known = this.#ports.get(key)
    if (known !== undefined) return known
    const { identity, log } = this.#deps
    const opened = await TlsPort.open({ host, port, tls: material(identity()), ...this.#options }, { log })
    this.#ports.set(key, opened)
    return opened
  }

  /** Shows renewed certificates to new connections. */
  renew(identity: Identity): void {
    for (const port of this.#ports.values()) port.renew(material(identity))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#ports.values()].map((port) => port[Symbol.asyncDispose]()))
  }
}

function material({ servers }: Identity) {
  return { servers: servers.map(({ certPem, keyPem }) => ({ certPem, keyPem })) }
}
