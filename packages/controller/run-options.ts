/**
 * From a configuration file to what a controller is started with.
 */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { IdentityConfig } from '@weft/model/config-sections'
import {
  type Identity,
  loadIdentitySection,
  loadSigningCertificate,
  resolveTrustDomain,
  type SigningCertificate,
} from '@weft/pki'
import { withOidc } from './api/oidc/auto-binding.ts'
import { clientServer, type WebServerConfig as WebServer } from './api/web-servers.ts'
import type { Clock } from './clock.ts'
import type { ControllerConfig } from './config/controller-config.ts'
import type { ControllerOptions } from './controller.ts'
import { Invitations } from './enroll/invitations.ts'
import type { Logger } from './log/logger.ts'

/** Certificates that cannot be used, all of them named at once. */
export class IdentityError extends Error {
  readonly code = 'IDENTITY_UNUSABLE'

  constructor(problems: readonly { readonly path: string; readonly message: string }[]) {
    super(problems.map(({ path, message }) => `${path}  ${message}`).join('\n'))
    this.name = 'IdentityError'
  }
}

const MINUTE = 60_000
const NO_SIZE_LIMIT = Number.MAX_SAFE_INTEGER

export interface RunOptions {
  readonly options: ControllerOptions
  readonly invitations: Invitations
}

interface LoadDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly baseDirectory: string
}

export async function runOptions(config: ControllerConfig, deps: LoadDeps): Promise<RunOptions> {
  const { log, baseDirectory } = deps
  const identity = await loadIdentity(config.identity, 'identity', deps)
  const apiAddress = config.edge.api.address.text
  const { advertiseAddress, newListener, ...ctrlChannels } = config.ctrl.options
  const ctrlAddress = (advertiseAddress ?? config.ctrl.listener).text
  const web: WebServer[] = []
  for (const [index, server] of config.web.entries()) {
    const isOwn = server.identity !== config.identity
    const own = isOwn && { identity: await loadIdentity(server.identity, `web[${index}].identity`, deps) }
    const apis = await Promise.all(
      server.apis.map(async (api, at) => {
        const scrapeCert = api.binding === 'metrics' ? api.options.scrapeCert : undefined
        if (api.binding === 'edge-oidc') {
          const { redirectUris, postLogoutUris, allowedHostnames } = api.options
          return { binding: api.binding, oidc: { redirectUris, postLogoutUris, allowedHostnames } }
        }
        if (api.binding === 'spa') {
          const { path, location, indexFile } = api.options
          return { binding: api.binding, app: { path, location: resolve(baseDirectory, location), indexFile } }
        }
        if (scrapeCert === undefined) return { binding: api.binding }
        const path = `web[${index}].apis[${at}].options.scrapeCert`
        return { binding: api.binding, pinnedPem: await readCertificate(resolve(baseDirectory, scrapeCert), path) }
      }),
    )
    web.push({ ...webServer(server, config.tls, log), ...own, apis })
  }
  const { edgeIdentity, edgeRouter } = config.edge.enrollment
  const invitations = new Invitations({
    identity: clientServer(web, apiAddress)?.identity ?? identity,
    apiAddress,
    controllerAddresses: [ctrlAddress],
    identityDuration: edgeIdentity.duration,
    routerDuration: edgeRouter.duration,
  })
  const { signingCert } = config.edge.enrollment
  const signing = await loadSigning(signingCert, identity, deps)
  const options: ControllerOptions = {
    controllerId: identity.client?.certificate.commonName || 'controller',
    identity,
    signing,
    trustDomain: trustDomainOf(identity, config.trustDomain),
    certificateSources: {
      baseDirectory,
      identity: identityKeys(config.identity),
      web: new Map(
        config.web
          .filter((server) => server.identity !== config.identity)
          .map((server) => [server.name, identityKeys(server.identity)]),
      ),
      signing: { ...signingCert },
    },
    databaseFile: resolve(baseDirectory, config.database),
    apiAddress,
    ctrlListener: config.ctrl.listener.text,
    ctrlAddress,
    ...(newListener !== undefined && { newCtrlListener: newListener.text }),
    ctrlChannels: { ...ctrlChannels, ...handshakeLimits(config.tls) },
    dataModel: config.routerDataModel,
    ...(config.ctrl.dialer.enabled && { ctrlDialer: config.ctrl.dialer }),
    web: config.edge.api.disableOidcAutoBinding ? web : withOidc(web, apiAddress),
    sessions: {
      sessionTimeout: config.edge.api.sessionTimeout,
      activityInterval: config.edge.api.activityUpdateInterval,
      activityBatch: config.edge.api.activityUpdateBatchSize,
    },
    events: config.events,
    journal: { maxAge: config.journal.maxAge, maxBytes: config.journal.maxSize ?? NO_SIZE_LIMIT },
    totpIssuer: config.edge.totp.hostname,
    tokenLives: tokenLives(config.edge.oidc),
    loginWindow: config.edge.authRateLimiter,
    network: { ...config.network, identityStatus: config.edge.identityStatus },
    jwksFetch: config.edge.externalJwtSigners.jwksFetch,
    secretsKeyFile: resolve(baseDirectory, config.secretsKeyFile),
  }
  return { options, invitations }
}

/** A refresh token that ends before the access token it came with would be of no use. */
function tokenLives(oidc: ControllerConfig['edge']['oidc']): ControllerOptions['tokenLives'] {
  const { accessTokenDuration: access, idTokenDuration: id, refreshTokenDuration } = oidc
  return { access, id, refresh: Math.max(refreshTokenDuration, access + MINUTE) }
}

/** PEM of a certificate file that can be used. */
async function readCertificate(file: string, path: string): Promise<string> {
  try {
    const pem = await readFile(file, 'utf8')
    new X509Certificate(pem)
    return pem
  } catch (cause) {
    const isAbsent = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw new IdentityError([
      { path, message: `${file} ${isAbsent ? 'does not exist' : 'holds no certificate in PEM'}` },
    ])
  }
}

function webServer(
  server: ControllerConfig['web'][number],
  tls: ControllerConfig['tls'],
  log: Logger,
): Omit<WebServer, 'apis' | 'identity'> {
  const { name, options } = server
  const { idleTimeout, readTimeout, writeTimeout } = options
  const bindPoints = server.bindPoints.flatMap((point) => {
    if ('identity' in point) {
      log.warn('overlay bind points are not served yet', { server: name })
      return []
    }
    const { newAddress, plainHttp } = point
    const moved = newAddress === undefined ? {} : { newAddress: newAddress.text }
    return [{ interface: point.interface.text, address: point.address.text, isPlainHttp: plainHttp, ...moved }]
  })
  return {
    name,
    bindPoints,
    minVersion: options.minTlsVersion,
    maxVersion: options.maxTlsVersion,
    limits: { idleTimeout, readTimeout, writeTimeout, ...handshakeLimits(tls) },
  }
}

/** The same at every port. */
function handshakeLimits({ handshakeTimeout, rateLimiter }: ControllerConfig['tls']) {
  return { handshakeTimeout, ...(rateLimiter.enabled && { handshakeWindow: rateLimiter }) }
}

async function loadIdentity(section: IdentityConfig, path: string, deps: LoadDeps): Promise<Identity> {
  const { log, ...options } = deps
  const { identity, problems, warnings } = await loadIdentitySection(identityKeys(section), { ...options, path })
  for (const { path: at, message } of warnings) log.warn('identity', { path: at, problem: message })
  if (identity === undefined) throw new IdentityError(problems)
  return identity
}

/** The keys of an identity section as they stand in the file. */
function identityKeys(section: IdentityConfig): Readonly<Record<string, unknown>> {
  return {
    cert: section.cert,
    key: section.key,
    ca: section.ca,
    server_cert: section.serverCert,
    server_key: section.serverKey,
    alt_server_certs: section.altServerCerts.map(({ serverCert, serverKey }) => ({
      server_cert: serverCert,
      server_key: serverKey,
    })),
  }
}

async function loadSigning(
  section: ControllerConfig['edge']['enrollment']['signingCert'],
  { caBundle }: Identity,
  { log, ...options }: LoadDeps,
): Promise<SigningCertificate> {
  const { signing, problems, warnings } = await loadSigningCertificate(section, { ...options, caBundle })
  for (const { path: at, message } of warnings) log.warn('signing certificate', { path: at, problem: message })
  if (signing === undefined) throw new IdentityError(problems)
  return signing
}

function trustDomainOf({ servers, client, caBundle }: Identity, configured: string | undefined): string {
  const { chain } = servers[0] ?? client!
  return resolveTrustDomain({ serverChain: chain, caBundle, ...(configured !== undefined && { configured }) }).name
}
