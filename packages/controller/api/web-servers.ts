/**
 * The web servers of the configuration: which binding answers on which port.
 */

import type { SecureVersion, TLSSocket } from 'node:tls'
import type { Identity } from '@weft/pki'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import { FABRIC_BASE } from './fabric/fabric-path.ts'
import { type Binding, createDemux } from './http/demux.ts'
import { clientPaths, managementPaths } from './http/edge-paths.ts'
import { createHealthChecks, type HealthCheck } from './http/health-checks.ts'
import { type ListenerResult, WebServer } from './http/listen.ts'
import { covers } from './http/listen-address.ts'
import { createMetrics, type MetricsRegister } from './http/metrics.ts'
import type { RequestHandler } from './http/request-handler.ts'
import { createSinglePageApp, type SinglePageApp } from './http/single-page-app.ts'
import type { UpgradeHandler } from './http/upgrade.ts'
import type { WebLimits } from './http/web-limits.ts'
import type { OidcBinding, OidcProvider } from './oidc/index.ts'
import { OIDC_BASE } from './oidc/oidc-api.ts'

export interface BindPointConfig {
  /** Where to listen, `host:port`. */
  readonly interface: string
  /** What clients are told, `host:port`. */
  readonly address: string
  readonly newAddress?: string
  /** Loopback only: for development and behind a reverse proxy. */
  readonly isPlainHttp?: boolean
}

/** One API of a server, with what the configuration says of it. */
export interface ServedApi {
  readonly binding: string
  readonly pinnedPem?: string
  readonly app?: SinglePageApp
  readonly oidc?: Pick<OidcBinding, 'redirectUris' | 'postLogoutUris' | 'allowedHostnames'>
}

export interface WebServerConfig {
  readonly name: string
  readonly bindPoints: readonly BindPointConfig[]
  readonly apis: readonly ServedApi[]
  readonly minVersion: SecureVersion
  readonly maxVersion: SecureVersion
  readonly limits: Partial<WebLimits>
  /** The certificates of this server, when they are not the controller's. */
  readonly identity?: Identity
}

export interface WebDeps {
  readonly log: Logger
  readonly clock: Clock
  readonly identity: Identity
  readonly management: RequestHandler
  readonly client: RequestHandler
  readonly fabric: RequestHandler
  /** Takes websockets where the fabric API is served. */
  readonly streams: UpgradeHandler
  readonly oidc: Pick<OidcProvider, 'handlerFor'>
  readonly health: { readonly checks: () => readonly HealthCheck[] }
  readonly metrics: MetricsRegister
}

/** The bindings this controller answers. */
export const servedBindings: ReadonlySet<string> = new Set([
  'edge-management',
  'edge-client',
  'edge-oidc',
  'fabric',
  'health-checks',
  'spa',
  'metrics',
])

/** The server at which clients find the client API under an address. */
export function clientServer(web: readonly WebServerConfig[], address: string): WebServerConfig | undefined {
  return web.find(
    ({ bindPoints, apis }) =>
      bindPoints.some((point) => point.address === address) && apis.some(({ binding }) => binding === 'edge-client'),
  )
}

export class WebServers implements AsyncDisposable {
  readonly listeners: readonly (ListenerResult & { readonly server: string })[]
  readonly #servers: readonly OpenServer[]

  constructor(servers: readonly OpenServer[], listeners: WebServers['listeners']) {
    this.#servers = servers
    this.listeners = listeners
  }

  /** New certificates for the server of a name, or without one for all that use the controller's. */
  renewTls(identity: Identity, name?: string): void {
    for (const { server, config, served } of this.#servers) {
      const isMeant = name === undefined ? config.identity === undefined : config.name === name
      if (!isMeant) continue
      served.identity = identity
      server.renewTls(tlsMaterial(identity, config))
    }
  }

  /**
   * Gives connections that speak another protocol, where somebody would listen for them, to that somebody. False when no
   * TLS bind point listens there.
   */
  take(listening: string, protocol: string, accept: (socket: TLSSocket) => void): boolean {
    const sharing = this.#servers.filter(({ server }) =>
      server.listeners.some(({ bindPoint, error }) => error === undefined && covers(bindPoint.interface, listening)),
    )
    return sharing.map(({ server }) => server.take(protocol, accept)).includes(true)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map(({ server }) => server.close()))
  }
}

interface OpenServer {
  readonly server: WebServer
  readonly config: WebServerConfig
  readonly served: Served
}

/** The certificates of a server as they are now. */
interface Served {
  identity: Identity
}

/** Opens what can be opened. Throws when nothing could be: a controller nobody can reach is of no use. */
export async function openWebServers(deps: WebDeps, configs: readonly WebServerConfig[]): Promise<WebServers> {
  const servers: OpenServer[] = []
  const listeners: (ListenerResult & { readonly server: string })[] = []
  for (const config of configs) {
    const served: Served = { identity: config.identity ?? deps.identity }
    const handle = createDemux(config.apis.flatMap((api) => binding(deps, api, config, served)))
    for (const isPlain of [false, true]) {
      const bindPoints = config.bindPoints.filter((point) => (point.isPlainHttp ?? false) === isPlain)
      if (bindPoints.length === 0) continue
      const { name, limits } = config
      const tls = isPlain ? {} : { tls: tlsMaterial(served.identity, config) }
      const upgrades = config.apis.some(({ binding }) => binding === 'fabric') ? { upgrades: deps.streams } : {}
      const server = await WebServer.open({ name, bindPoints, handle, log: deps.log, limits, ...tls, ...upgrades })
      servers.push({ server, config, served })
      listeners.push(...server.listeners.map((listener) => ({ ...listener, server: name })))
    }
  }
  const failed = listeners.filter((listener) => listener.error !== undefined)
  if (failed.length === listeners.length) {
    await Promise.all(servers.map(({ server }) => server.close()))
    throw failed[0]?.error ?? new Error('the configuration has no web server')
  }
  return new WebServers(servers, listeners)
}

/** No authorities are named to clients: some would then withhold certificates that others have issued. */
function tlsMaterial({ servers }: Identity, { minVersion, maxVersion }: WebServerConfig) {
  return { servers, minVersion, maxVersion }
}

function binding(deps: WebDeps, api: ServedApi, { bindPoints }: WebServerConfig, served: Served): Binding[] {
  switch (api.binding) {
    case 'edge-management':
      return [{ name: api.binding, ...managementPaths, handle: deps.management }]
    case 'edge-client':
      return [{ name: api.binding, ...clientPaths, isDefault: true, handle: deps.client }]
    case 'edge-oidc': {
      const servers = () => served.identity.servers
      const handle = deps.oidc.handlerFor({ ...api.oidc, bindPoints, servers })
      return [{ name: api.binding, root: OIDC_BASE, handle }]
    }
    case 'fabric':
      return [{ name: api.binding, root: FABRIC_BASE, handle: deps.fabric }]
    case 'health-checks': {
      const cluster = () => ({ isRaftEnabled: false, isLeader: false })
      const handle = createHealthChecks({ checks: () => deps.health.checks(), cluster })
      return [{ name: api.binding, root: '/health-checks', handle }]
    }
    case 'metrics': {
      const { log, clock, metrics: register } = deps
      const pinned = api.pinnedPem === undefined ? {} : { pinnedPem: api.pinnedPem }
      return [{ name: api.binding, root: '/metrics', handle: createMetrics({ register, clock, log, ...pinned }) }]
    }
    case 'spa':
      if (api.app === undefined) return []
      return [{ name: api.binding, root: `/${api.app.path}`, handle: createSinglePageApp(api.app, deps.log) }]
    default:
      deps.log.warn('binding is not served yet', { binding: api.binding })
      return []
  }
}
