/**
 * The provider is served beside the client API when no web server lists it: clients that find it log in by it.
 */
import type { WebServerConfig } from '../web-servers.ts'

/** On the server that clients are told of; else on the only one with the client API, or on all of them. */
export function withOidc(web: readonly WebServerConfig[], apiAddress: string): readonly WebServerConfig[] {
  const serves = ({ apis }: WebServerConfig, binding: string) => apis.some((api) => api.binding === binding)
  if (web.some((server) => serves(server, 'edge-oidc'))) return web
  const candidates = web.filter((server) => serves(server, 'edge-client'))
  const told = candidates.filter(({ bindPoints }) => bindPoints.some(({ address }) => address === apiAddress))
  const chosen = new Set(told.length > 0 ? told : candidates)
  return web.map((server) =>
    chosen.has(server) ? { ...server, apis: [...server.apis, { binding: 'edge-oidc' }] } : server,
  )
}
