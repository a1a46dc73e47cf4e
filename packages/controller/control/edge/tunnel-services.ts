/** The services of a router's identity, as a tunneler of the 1.x kind is told of them. */
import { policiesSelecting, policyLookup } from '@weft/model'
import { accessView } from '../../policies/access-view.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'

type Service = TableRows['services']
type Data = Readonly<Record<string, unknown>>

export interface TunnelService {
  readonly id: string
  readonly name: string
  readonly permissions: readonly string[]
  readonly encryption: boolean
  readonly config: Buffer
  readonly tags: Buffer
}

export function* tunnelServices(
  view: View,
  { identityId, configTypes }: Pick<TableRows['apiSessions'], 'identityId' | 'configTypes'>,
): Generator<TunnelService> {
  const policies = [...policiesSelecting(accessView(view), 'servicePolicies', 'identities', identityId)]
  const grants = policyLookup(policies, 'services')
  for (const service of view.rows('services')) {
    if (service.isFabricOnly) continue
    const permissions = new Set([...grants(service.id, service.roleAttributes)].map(({ type }) => String(type)))
    if (permissions.size === 0) continue
    const config = Buffer.from(JSON.stringify(configsOf(view, service, identityId, configTypes)))
    const { id, name, encryptionRequired: encryption } = service
    const tags = Buffer.from(JSON.stringify(service.tags))
    yield { id, name, permissions: [...permissions].sort(), encryption, config, tags }
  }
}

/** By the name of their type; those of the identity replace the service's. */
function configsOf(view: View, { id, configs }: Service, identityId: string, types: readonly string[]): Data {
  const overrides = view.get('identities', identityId)?.serviceConfigs[id] ?? {}
  const byType = new Map<string, Data>()
  for (const configId of [...configs, ...Object.values(overrides)]) {
    const config = view.get('configs', configId)
    if (config === undefined || !(types.includes('all') || types.includes(config.configTypeId))) continue
    byType.set(view.get('configTypes', config.configTypeId)?.name ?? config.configTypeId, config.data)
  }
  return Object.fromEntries(byType)
}
