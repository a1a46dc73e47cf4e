/**
 * The edge routers by which an identity may reach a service, as sessions and clients are told of them.
 */
import { advise } from '@weft/model'
import { accessView } from '../policies/access-view.ts'
import type { View } from '../state/view.ts'
import { capabilityNames } from './router-capabilities.ts'
import type { RouterPresence } from './router-presence.ts'

const MOST_ROUTERS = 25

/** A router as SDKs are told of it. */
export type ShownRouter = ReturnType<typeof shownRouter>

/** Connected ones first. */
export function sharedRouters(
  { identityId, serviceId }: { readonly identityId: string; readonly serviceId: string },
  view: View,
  presence: RouterPresence,
): readonly ShownRouter[] {
  const { commonRouters } = advise(accessView(view), identityId, serviceId)
  const isOffline = (id: string) => presence.connected(id) === undefined
  const ids = commonRouters.toSorted((a, b) => Number(isOffline(a)) - Number(isOffline(b))).slice(0, MOST_ROUTERS)
  return ids.map((id) => shownRouter(id, view, presence))
}

function shownRouter(id: string, view: View, presence: RouterPresence) {
  const { name, cost, noTraversal, disabled, capabilitiesMask: mask, reportedVersion } = view.get('routers', id)!
  const connected = presence.connected(id)
  const protocols = connected?.supportedProtocols ?? {}
  return {
    name,
    cost,
    noTraversal,
    disabled,
    hostname: connected?.hostname ?? '',
    isOnline: connected !== undefined,
    syncStatus: connected?.syncStatus ?? 'SYNC_UNKNOWN',
    supportedProtocols: protocols,
    urls: protocols,
    capabilities: mask === null ? null : capabilityNames(mask),
    version: connected?.versionInfo.version ?? reportedVersion ?? '',
  }
}
