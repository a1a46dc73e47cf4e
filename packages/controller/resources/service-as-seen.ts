/**
 * What a service looks like to whoever looks: what they may do with it, its configs as they would get them, and the
 * posture asked of them.
 *
 * Only the list of services itself shows configs, and lists that select services otherwise show no permissions: the peers
 * do it so, and clients tell null from empty.
 */
import type { Rendering } from '../resource-kit/resource.ts'
import { noQueries, policyQueries } from './posture-queries.ts'
import type { PostureReports } from './posture-reports.ts'
import { viewerOf } from './service-viewer.ts'
import type { Service } from './services.ts'

type Data = Readonly<Record<string, unknown>>

/** `Bind` first, then `Dial`; `Invalid` for services that the viewer only sees. */
export function permissionsOf(service: Service, rendering: Rendering): readonly string[] | null {
  if (rendering.place !== 'detail' && !isWholeList(rendering)) return null
  const granted = new Set(
    viewerOf(rendering)
      .policiesFor(service)
      .map(({ type }) => String(type)),
  )
  return granted.size === 0 ? ['Invalid'] : [...granted]
}

/** The data of the configs that were asked for, by the name of their type; the viewer's own replace the service's. */
export function requestedConfigs(service: Service, rendering: Rendering): Readonly<Record<string, Data>> | null {
  if (!isWholeList(rendering)) return null
  const { view } = rendering
  const { identityId, configTypes } = viewerOf(rendering)
  if (configTypes?.size === 0) return {}
  const byType = new Map<string, Data>()
  const overrides = view.get('identities', identityId)?.serviceConfigs[service.id] ?? {}
  for (const id of [...service.configs, ...Object.values(overrides)]) {
    const config = view.get('configs', id)
    if (config !== undefined && (configTypes?.has(config.configTypeId) ?? true))
      byType.set(config.configTypeId, config.data)
  }
  return Object.fromEntries(
    [...byType].map(([typeId, data]) => [view.get('configTypes', typeId)?.name ?? typeId, data]),
  )
}

export function postureQueriesOf(service: Service, rendering: Rendering, posture: PostureReports) {
  const { identityId, policiesFor } = viewerOf(rendering)
  const hasChecks = rendering.view.size('postureChecks') > 0
  const policies = hasChecks ? policiesFor(service) : []
  if (policies.length === 0) return (permissionsOf(service, rendering) ?? []).map(noQueries)
  return policies.map((policy) => policyQueries(policy, identityId, posture, rendering))
}

function isWholeList({ place, call }: Rendering): boolean {
  return place === 'list' && !call.query.has('roleFilter')
}
