/**
 * Service config overrides: configs that replace, for one identity, the service's own of the same type.
 *
 * Kept on the identity as service id, config type id, config id: one config per service and type, the later one wins.
 */
import { fieldError, notFound } from '../operation/api-error.ts'
import { answerList, empty } from '../operation/envelope.ts'
import type { Call } from '../operation/operation.ts'
import type { Change } from '../resource-kit/change.ts'
import type { ActionKit, ResourceAction } from '../resource-kit/resource.ts'
import { shapeContract } from '../resource-kit/shape-contract.ts'
import { listShape, objectShape, required, textShape } from '../resource-kit/shapes.ts'
import type { TableRows } from '../state/row.ts'
import type { View } from '../state/view.ts'

/** Service id to config type id to config id. */
export type ServiceConfigs = Readonly<Record<string, Readonly<Record<string, string>>>>

interface Assignment {
  readonly serviceId: string
  readonly configId: string
}

type Identity = TableRows['identities']

const id = textShape({ max: 4_096 })
const assignmentsShape = listShape(objectShape({ serviceId: required(id), configId: required(id) }), { max: 1_000 })

export const serviceConfigActions: readonly ResourceAction<Identity>[] = [
  {
    method: 'GET',
    path: '/{id}/service-configs',
    operationId: 'listIdentitysServiceConfigs',
    needs: 'read',
    run: (_call, kit) => listOverrides(kit),
  },
  {
    method: 'POST',
    path: '/{id}/service-configs',
    operationId: 'associateIdentitysServiceConfigs',
    needs: 'update',
    body: shapeContract('serviceConfigs', assignmentsShape),
    run: (call: Call<readonly Assignment[]>, kit) => changeOverrides(call, kit, assigned),
  },
  {
    method: 'DELETE',
    path: '/{id}/service-configs',
    operationId: 'disassociateIdentitysServiceConfigs',
    needs: 'update',
    body: shapeContract('serviceConfigIdPairs', assignmentsShape, { isRequired: false }),
    run: (call: Call<readonly Assignment[] | undefined>, kit) => changeOverrides(call, kit, removed),
  },
]

const none: readonly string[] = []

/** The configs that an identity's overrides name, each once. */
export function overridingConfigs(overrides: ServiceConfigs): readonly string[] {
  const ids = Object.values(overrides).flatMap((byType) => Object.values(byType))
  return ids.length === 0 ? none : [...new Set(ids)].sort()
}

function listOverrides(kit: ActionKit<Identity>) {
  const items: unknown[] = []
  for (const [serviceId, byType] of Object.entries(kit.row().serviceConfigs)) {
    for (const configId of Object.values(byType)) {
      const service = kit.reference('services', serviceId)
      items.push({ serviceId, service, configId, config: kit.reference('configs', configId) })
    }
  }
  return answerList(items, { limit: items.length, offset: 0, totalCount: items.length })
}

type Edit = (change: Change, overrides: ServiceConfigs, assignment: Assignment) => ServiceConfigs

async function changeOverrides(call: Call<readonly Assignment[] | undefined>, kit: ActionKit<Identity>, edit: Edit) {
  const identityId = call.params['id']!
  await kit.write((change) => {
    // Peers name what is missing here by its table.
    if (change.view.get('identities', identityId) === undefined) throw notFound('identities', identityId)
    const identity = kit.row(change.view)
    let overrides = identity.serviceConfigs
    for (const assignment of call.body ?? []) overrides = edit(change, overrides, assignment)
    if (overrides !== identity.serviceConfigs) change.update('identities', identity.id, { serviceConfigs: overrides })
  })
  return empty
}

function assigned({ view }: Change, overrides: ServiceConfigs, { serviceId, configId }: Assignment): ServiceConfigs {
  const service = view.get('services', serviceId)
  if (service === undefined || service.isFabricOnly) {
    throw fieldError('serviceConfigs', 'no edge service found with the given id', serviceId)
  }
  const { config, type } = configOf(view, configId)
  if (type.target !== 'service') {
    const reason = `config ${config.name} has config type ${type.name} which does not target services`
    throw fieldError('serviceConfigs', reason, `[{${serviceId} ${configId}}]`)
  }
  return { ...overrides, [serviceId]: { ...overrides[serviceId], [type.id]: configId } }
}

/** What is removed is found by the type of the config that is named. */
function removed({ view }: Change, overrides: ServiceConfigs, { serviceId, configId }: Assignment): ServiceConfigs {
  const { type } = configOf(view, configId)
  const byType = overrides[serviceId]
  if (byType?.[type.id] === undefined) return overrides
  const { [serviceId]: _before, ...others } = overrides
  const { [type.id]: _gone, ...rest } = byType
  return Object.keys(rest).length === 0 ? others : { ...others, [serviceId]: rest }
}

function configOf(view: View, configId: string) {
  const config = view.get('configs', configId)
  const type = config && view.get('configTypes', config.configTypeId)
  if (config === undefined || type === undefined) throw notFound('configs', configId)
  return { config, type }
}
