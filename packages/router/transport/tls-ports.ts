/** The TLS ports of the router: links, clients and monitors may share one, told apart by what they ask for. */
import type { SecureVersion } from 'node:tls'
import type { Identity } from '@weft/pki'
import { TlsPort, TransportError, type WireLog } from '@weft/wire'

export interface PortPlace {
  readonly host: string
  readonly port: number
}

/** Those of a port are of all who share it: which protocol a client wants is known too late to choose by it. */
export interface TlsVersions {
  readonly minVersion: SecureVersion
  readonly maxVersion: SecureVersion
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
  readonly versions: TlsVersions
  users: number
}

const usualVersions: TlsVersions = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' }

export class TlsPorts implements AsyncDisposable {
  readonly #deps: TlsPortsDeps
  readonly #options: TlsPortsOptions
  readonly #ports = new Map<string, SharedPort>()
  readonly #open = new Map<TlsPort, TlsVersions>()

  constructor(deps: TlsPortsDeps, options: TlsPortsOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** The port at that place, opened when it is asked for first. Rejects when it cannot be, or has other versions. */
  async use(place: PortPlace, versions: TlsVersions = usualVersions): Promise<PortUse> {
    const key = `${place.host}:${place.port}`
    const shared = this.#ports.get(key) ?? { opening: this.#listen(place, versions), versions, users: 0 }
    const { minVersion, maxVersion } = shared.versions
    if (minVersion !== versions.minVersion || maxVersion !== versions.maxVersion) {
      const detail = `${key} is shared with others, whose TLS versions are ${minVersion} to ${maxVersion}`
      throw new TransportError('LISTEN_FAILED', detail)
    }
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
    for (const [port, versions] of this.#open) port.renew({ ...material(identity), ...versions })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open.keys()].map((port) => this.#close(port)))
  }

  async #listen({ host, port }: PortPlace, versions: TlsVersions): Promise<TlsPort> {
    const { identity, log } = this.#deps
    const tls = { ...material(identity()), ...versions }
    const opened = await TlsPort.open({ host, port, tls, ...this.#options }, { log })
    this.#open.set(opened, versions)
    return opened
  }

  async #close(port: TlsPort): Promise<void> {
    if (this.#open.delete(port)) await port[Symbol.asyncDispose]()
  }
}

function material({ servers }: Identity) {
  return { servers: servers.map(({ certPem, keyPem }) => ({ certPem, keyPem })) }
}
