/**
 * From a configuration file to what a controller is started with.
 */
import { resolve } from 'node:path'
import { type Identity, loadIdentitySection } from '@weft/pki'
import type { WebServerConfig as WebServer } from './api/web-servers.ts'
import type { Clock } from './clock.ts'
import type { ControllerConfig } from './config/controller-config.ts'
import type { IdentityConfig } from './config/identity-section.ts'
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

const NO_SIZE_LIMIT = Number.MAX_SAFE_INTEGER

export interface RunOptions {
  readonly options: ControllerOptions
  readonly invitations: Invitations
}

export async function runOptions(
  config: ControllerConfig,
  { clock, log, baseDirectory }: { readonly clock: Clock; readonly log: Logger; readonly baseDirectory: string },
): Promise<RunOptions> {
  const load = (section: IdentityConfig, path: string) => loadIdentity(section, path, { clock, log, baseDirectory })
  const identity = await load(config.identity, 'identity')
  const apiAddress = config.edge.api.address.text
  const ctrlAddress = (config.ctrl.options.advertiseAddress ?? config.ctrl.listener).text
  const { edgeIdentity, edgeRouter } = config.edge.enrollment
  const invitations = new Invitations({
    identity,
    apiAddress,
    controllerAddresses: [ctrlAddress],
    identityDuration: edgeIdentity.duration,
    routerDuration: edgeRouter.duration,
  })
  const web: WebServer[] = []
  for (const [index, server] of config.web.entries()) {
    const own = server.identity === config.identity ? identity : await load(server.identity, `web[${index}].identity`)
    web.push(webServer(server, own, log))
  }
  const options: ControllerOptions = {
    controllerId: identity.client?.certificate.commonName || 'controller',
    identity,
    databaseFile: resolve(baseDirectory, config.database),
    apiAddress,
    ctrlAddress,
    web,
    sessions: {
      sessionTimeout: config.edge.api.sessionTimeout,
      activityInterval: config.edge.api.activityUpdateInterval,
      activityBatch: config.edge.api.activityUpdateBatchSize,
    },
    events: config.events,
    journal: { maxAge: config.journal.maxAge, maxBytes: config.journal.maxSize ?? NO_SIZE_LIMIT },
    totpIssuer: config.edge.totp.hostname,
    secretsKeyFile: resolve(baseDirectory, config.secretsKeyFile),
  }
  return { options, invitations }
}

function webServer(server: ControllerConfig['web'][number], identity: Identity, log: Logger): WebServer {
  const { name, options } = server
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
    apis: server.apis.map(({ binding }) => ({ binding })),
    minVersion: options.minTlsVersion,
    maxVersion: options.maxTlsVersion,
    limits: { idleTimeout: options.idleTimeout, readTimeout: options.readTimeout },
    identity,
  }
}

async function loadIdentity(
  section: IdentityConfig,
  path: string,
  { clock, log, baseDirectory }: { readonly clock: Clock; readonly log: Logger; readonly baseDirectory: string },
): Promise<Identity> {
  const named = {
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
  const { identity, problems, warnings } = await loadIdentitySection(named, { baseDirectory, clock, path })
  for (const { path: at, message } of warnings) log.warn('identity', { path: at, problem: message })
  if (identity === undefined) throw new IdentityError(problems)
  return identity
}
