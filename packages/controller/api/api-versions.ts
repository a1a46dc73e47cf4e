/**
 * What this controller serves and where: the heart of the version document, and of what a controller says of itself.
 */

/** A web server of the configuration, as far as others need to know of it. */
export interface ServedWeb {
  readonly bindPoints: readonly { readonly address: string }[]
  readonly apis: readonly { readonly binding: string }[]
}

export interface ApiVersion {
  readonly path: string
  readonly apiBaseUrls: readonly string[]
}

/** Where each binding lies. The fabric's base URLs end before its path, as its clients add it themselves. */
const paths: Readonly<Record<string, { readonly path: string; readonly urlPath: string }>> = {
  'edge-client': { path: '/edge/client/v1', urlPath: '/edge/client/v1' },
  'edge-management': { path: '/edge/management/v1', urlPath: '/edge/management/v1' },
  'edge-oidc': { path: '/oidc', urlPath: '/oidc' },
  fabric: { path: '/fabric/v1', urlPath: '' },
  'health-checks': { path: '/health-checks/v1', urlPath: '/health-checks/v1' },
}

export type ApiVersions = Readonly<Record<string, { readonly v1: ApiVersion }>>

/** Binding to version to where; `edge` is what clients from before the split look for. */
export function apiVersions(web: readonly ServedWeb[], isServed: (binding: string) => boolean): ApiVersions {
  const versions: Record<string, { v1: ApiVersion }> = {}
  for (const [binding, { path, urlPath }] of Object.entries(paths)) {
    const servers = web.filter((server) => server.apis.some((api) => api.binding === binding))
    if (servers.length === 0 || !isServed(binding)) continue
    const addresses = servers.flatMap((server) => server.bindPoints.map((point) => point.address))
    versions[binding] = { v1: { path, apiBaseUrls: addresses.map((address) => `https://${address}${urlPath}`) } }
  }
  if (versions['edge-client'] !== undefined) versions['edge'] = versions['edge-client']
  return versions
}
