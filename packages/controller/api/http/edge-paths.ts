/**
 * The paths that the edge APIs serve besides those below their base.
 *
 * Older SDKs call without a prefix or with the prefix of the time before there were two APIs; the client API is the
 * default of its server and takes them all.
 */
import type { Binding } from './demux.ts'

export const CLIENT_BASE = '/edge/client/v1'
export const MANAGEMENT_BASE = '/edge/management/v1'

const LEGACY_BASE = '/edge/v1'
const CA_CERTIFICATES = '/.well-known/est/cacerts'
const SHARED_PATHS = ['/', '/version', CA_CERTIFICATES]

type Paths = Pick<Binding, 'root' | 'alsoServes' | 'rewrite'>

/** Where the management API is found. */
export const managementPaths: Paths = {
  root: MANAGEMENT_BASE,
  alsoServes: SHARED_PATHS,
  rewrite: (path) => ownPath(MANAGEMENT_BASE, path) ?? path,
}

/** Where the client API is found, given that it is the default. */
export const clientPaths: Paths = {
  root: CLIENT_BASE,
  alsoServes: SHARED_PATHS,
  rewrite(path) {
    const own = ownPath(CLIENT_BASE, path)
    if (own !== undefined) return own
    if (path === LEGACY_BASE || path.startsWith(`${LEGACY_BASE}/`)) return CLIENT_BASE + path.slice(LEGACY_BASE.length)
    const isPrefixed = path.startsWith('/edge') || path.startsWith('/fabric') || path.startsWith('/.well-known')
    return isPrefixed || !path.startsWith('/') ? path : CLIENT_BASE + path
  },
}

function ownPath(base: string, path: string): string | undefined {
  if (path === '/' || path === '/version') return `${base}/version`
  return path === CA_CERTIFICATES ? base + path : undefined
}
