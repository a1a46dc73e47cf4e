/**
 * Services: what can be dialled and hosted.
 *
 * The table also holds services made for the fabric alone; they are invisible here, to roles and to `@id` references.
 */
import { policiesSelecting, related, routersOfService } from '@weft/model'
import { refusal } from '../operation/api-error.ts'
import { accessView } from '../policies/access-view.ts'
import type { Change } from '../resource-kit/change.ts'
import {
  defineFields,
  flag,
  integer,
  type RowOf,
  references,
  roleAttributes,
  text,
  uniqueName,
} from '../resource-kit/fields.ts'
import { defineResource, type Resource } from '../resource-kit/resource.ts'
import { checkConfigs } from './config-attachment.ts'
import { policyTypeParameter, wantedAccess } from './identity-sublists.ts'
import type { PostureReports } from './posture-reports.ts'
import { narrowByRoles, roleFilterParameters } from './role-filter.ts'
import { permissionsOf, postureQueriesOf, requestedConfigs } from './service-as-seen.ts'
import { viewerParameters, viewingIdentity } from './service-viewer.ts'

export const terminatorStrategies = ['smartrouting', 'weighted', 'random', 'sticky'] as const

export const serviceFields = defineFields({
  name: uniqueName(),
  encryptionRequired: flag({ required: 'on create', setBy: 'creator' }),
  terminatorStrategy: text({
    default: 'smartrouting',
    symbol: true,
    normalise: (strategy) => strategy || 'smartrouting',
    holds: isStrategy,
  }),
  maxIdleTimeMillis: integer(),
  roleAttributes: roleAttributes({ isNullWhenEmpty: true }),
  configs: references('configs', { onTargetDeleted: 'unlink', symbol: true, isNullWhenEmpty: true }),
  isFabricOnly: flag({ setBy: 'server', shown: 'never', symbol: true }),
})

export type Service = RowOf<typeof serviceFields>

declare module '../state/row.ts' {
  interface TableRows {
    services: Service
  }
}

const narrowServices = narrowByRoles('services')

export function services({ posture }: { readonly posture: PostureReports }): Resource {
  return defineResource({
    collection: 'services',
    singular: 'service',
    table: 'services',
    permission: 'service',
    fields: serviceFields,
    includes: (service) => !service.isFabricOnly,
    rules: [configsFit],
    narrow(call, view) {
      viewingIdentity(call, view) // refused even when there is nothing to list
      return narrowServices(call, view)
    },
    listParameters: [...roleFilterParameters, ...viewerParameters],
    live: {
      config: requestedConfigs,
      permissions: permissionsOf,
      postureQueries: (service, rendering) => postureQueriesOf(service, rendering, posture),
    },
    sublists: {
      configs: {
        of: 'configs',
        ids: (id, view) => view.get('services', id)?.configs ?? [],
        operationId: 'listServiceConfig',
        isLinked: true,
      },
      'service-policies': {
        of: 'service-policies',
        ids: (id, view) => policiesSelecting(accessView(view), 'servicePolicies', 'services', id).map((row) => row.id),
        operationId: 'listServiceServicePolicies',
        isLinked: true,
      },
      'service-edge-router-policies': {
        of: 'service-edge-router-policies',
        ids: (id, view) =>
          policiesSelecting(accessView(view), 'serviceEdgeRouterPolicies', 'services', id).map((row) => row.id),
        operationId: 'listServiceServiceEdgeRouterPolicies',
        isLinked: true,
      },
      terminators: {
        of: 'terminators',
        ids: (id, view) => view.find('terminators', 'serviceId', id).map((row) => row.id),
        operationId: 'listServiceTerminators',
        isLinked: true,
      },
      'edge-routers': {
        of: 'edge-routers',
        ids: (id, view) => routersOfService(accessView(view), id),
        operationId: 'listServiceEdgeRouters',
      },
      identities: {
        of: 'identities',
        ids: (id, view, call) =>
          related(accessView(view), 'servicePolicies', 'services', id, 'identities', wantedAccess(call)),
        operationId: 'listServiceIdentities',
        parameters: [policyTypeParameter],
      },
    },
  })
}

function isStrategy(name: string): void {
  if (!(terminatorStrategies as readonly string[]).includes(name)) {
    throw refusal('NOT_FOUND', `terminatorStrategy with name ${name} not found`)
  }
}

function configsFit(next: Service, before: Service | undefined, change: Change): void {
  if (next.configs === before?.configs) return
  checkConfigs(change, next.configs, 'service')
}
