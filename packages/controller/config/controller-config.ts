/**
 * What the controller knows of its configuration: the file with every default, fallback and former spelling applied.
 * Durations are milliseconds, and everything is frozen.
 */
import { dirname, join } from 'node:path'
import { type Findings, formatDuration, minute, type ValueOf } from '@weft/model/config-file'
import {
  assembleChannelOptions,
  assembleIdentity,
  assembleWebOptions,
  type IdentityConfig,
} from '@weft/model/config-sections'
import type { EventsConfig } from '../events/event-config.ts'
import type { controllerSchema } from './controller-schema.ts'
import type { webServerSection } from './web-section.ts'

type ControllerFile = ValueOf<typeof controllerSchema.keys>
type WebServerFile = ValueOf<typeof webServerSection.keys>

export type ControllerConfig = ReturnType<typeof assembleControllerConfig>
export type WebServerConfig = ReturnType<typeof assembleWebServer>
export type EdgeConfig = ControllerConfig['edge']

/** Makes the configuration of a file that was read without problems. */
export function assembleControllerConfig(file: ControllerFile, findings: Findings) {
  const { cluster, raft, ctrl, edge, weft } = file
  const clustered = cluster ?? raft
  const database = clustered === undefined ? file.db! : join(clustered.dataDir, 'ctrl.db')
  const identity = assembleIdentity(file.identity)
  return {
    identity,
    /** The database file. Like every path of the file it is relative to the working directory. */
    database,
    /** Whether the file has the form for several controllers. */
    isClustered: clustered !== undefined,
    trustDomain: file.trustDomain,
    additionalTrustDomains: file.additionalTrustDomains,
    ctrl: { ...ctrl, options: assembleChannelOptions(ctrl.options) },
    edge: { ...edge, oidc: assembleOidc(edge.oidc, findings) },
    web: file.web.map((server) => assembleWebServer(server, identity)),
    network: file.network,
    events: file.events satisfies EventsConfig as EventsConfig,
    healthChecks: file.healthChecks,
    command: {
      background: file.command.background,
      rateLimiter: file.command.rateLimiter ?? file.commandRateLimiter,
    },
    connectEvents: file.connectEvents,
    tls: file.tls,
    routerDataModel: file.routerDataModel,
    trace: file.trace,
    profile: file.profile,
    journal: weft.journal,
    log: weft.log,
    /** The file with the key that secrets in the database are encrypted under. */
    secretsKeyFile: weft.secretsKeyFile ?? join(dirname(database), 'secrets.key'),
  }
}

function assembleWebServer(server: WebServerFile, identity: IdentityConfig) {
  const { name, bindPoints, apis, options } = server
  return {
    name,
    bindPoints,
    identity: server.identity === undefined ? identity : assembleIdentity(server.identity),
    apis: apis.map((api) => (api.binding === 'zac' ? { ...api, binding: 'spa' as const, isZac: true as const } : api)),
    options: assembleWebOptions(options),
  }
}

/** A refresh token that ended before its access token would be of no use; the peers lengthen it, too. */
function assembleOidc(oidc: ControllerFile['edge']['oidc'], findings: Findings): ControllerFile['edge']['oidc'] {
  const shortest = oidc.accessTokenDuration + minute
  if (oidc.refreshTokenDuration >= shortest) return oidc
  const used = formatDuration(shortest)
  findings.warning(oidc, 'refreshTokenDuration', `shorter than accessTokenDuration and a minute; ${used} is used`)
  return { ...oidc, refreshTokenDuration: shortest }
}
