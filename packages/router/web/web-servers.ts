/**
 * The web servers of the configuration. One that cannot listen is told in the log: a router without its monitors still
 * carries what it is there for.
 */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Clock, followIdentity, type Identity, loadIdentitySection } from '@weft/pki'
import type { RouterConfig, WebServerConfig } from '../config/router-config.ts'
import type { HealthMonitor } from '../health/health-monitor.ts'
import { isCovered } from '../identity/advertised-hosts.ts'
import { type RouterIdentity, sectionKeys } from '../identity/router-identity.ts'
import type { MetricsRegistry } from '../metrics/registry.ts'
import type { TlsPorts } from '../transport/tls-ports.ts'
import { healthApi, metricsApi, type WebApi } from './web-api.ts'
import { type WebBindPoint, WebServer } from './web-server.ts'

export interface WebServersDeps {
  readonly ports: TlsPorts
  readonly identity: RouterIdentity
  readonly health: HealthMonitor
  readonly metrics: MetricsRegistry
  /** The router at the other end of a link. */
  readonly linkTarget: (linkId: string) => string | undefined
  readonly clock: Clock
  readonly log: WebServersLog
}

export interface WebServersLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** Starts those that can be started; disposing ends all of them. */
export async function startWebServers(
  config: Pick<RouterConfig, 'web' | 'identity'>,
  baseDirectory: string,
  deps: WebServersDeps,
): Promise<AsyncDisposable & { readonly servers: readonly WebServer[] }> {
  const stack = new AsyncDisposableStack()
  const servers: WebServer[] = []
  for (const server of config.web) {
    try {
      const hasOwn = server.identity !== config.identity
      servers.push(await startOne(server, hasOwn, baseDirectory, deps, stack))
    } catch (err) {
      deps.log.error('web server not started', { server: server.name, err })
    }
  }
  return { servers, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function startOne(
  config: WebServerConfig,
  hasOwnIdentity: boolean,
  baseDirectory: string,
  deps: WebServersDeps,
  stack: AsyncDisposableStack,
): Promise<WebServer> {
  const { name, options } = config
  const { log, identity, clock, ports } = deps
  const apis: WebApi[] = []
  for (const api of config.apis) apis.push(await apiOf(api, baseDirectory, deps))
  const keys = sectionKeys(config.identity)
  const from = { baseDirectory, clock, path: `identity of web server ${name}` }
  const own = hasOwnIdentity ? await loadOwn(keys, from) : undefined
  const bindPoints = config.bindPoints.flatMap((bindPoint): WebBindPoint[] => {
    if ('identity' in bindPoint) {
      log.warn('a web server on a service of an overlay is not supported here', { server: name })
      return []
    }
    const { host, port } = bindPoint.interface
    if (!bindPoint.plainHttp && !isCovered(bindPoint.address.host, own ?? identity.current)) {
      log.warn('no server certificate covers the address of a web server', { server: name, ...bindPoint.address })
    }
    return [{ host, port, newAddress: bindPoint.newAddress?.text, isPlainHttp: bindPoint.plainHttp }]
  })
  const server = stack.use(await WebServer.start({ ports, log }, { ...options, name, bindPoints, apis, identity: own }))
  log.info('web server listens', { server: name, interfaces: bindPoints.map(({ host, port }) => `${host}:${port}`) })
  // Otherwise it shows what its port shows, which follows the identity of the router.
  if (own === undefined) return server
  stack.use(
    await followIdentity(own, keys, from, {
      onChange: (renewed) => server.renew(renewed),
      onRefused(problems) {
        for (const { path, message } of problems) log.error('renewed certificates refused', { path, problem: message })
      },
    }),
  )
  return server
}

async function loadOwn(
  keys: Readonly<Record<string, unknown>>,
  from: { readonly baseDirectory: string; readonly clock: Clock; readonly path: string },
): Promise<Identity> {
  const { identity, problems } = await loadIdentitySection(keys, from)
  if (identity !== undefined) return identity
  throw new Error(problems.map(({ path, message }) => `${path} ${message}`).join('\n'))
}

async function apiOf(
  api: WebServerConfig['apis'][number],
  baseDirectory: string,
  { health, metrics, linkTarget, identity, clock }: WebServersDeps,
): Promise<WebApi> {
  if (api.binding === 'health-checks') return healthApi(health)
  const { scrapeCert, includeTimestamps } = api.options
  const pinnedPem = scrapeCert === undefined ? undefined : await readFile(resolve(baseDirectory, scrapeCert), 'utf8')
  const { routerId } = identity
  return metricsApi({ registry: metrics, routerId, linkTarget, pinnedPem, includeTimestamps, now: () => clock.now() })
}
