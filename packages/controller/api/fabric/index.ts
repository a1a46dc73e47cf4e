/**
 * The Fabric API: what carries the traffic, its services, routers and terminators, the links between routers and the
 * circuits over them.
 */
import type { Operation } from '../../operation/operation.ts'
import { Kit } from '../../resource-kit/kit.ts'
import { resourceOperations } from '../../resource-kit/operations.ts'
import { type FabricResourceDeps, fabricResources } from '../../resources/fabric/index.ts'
import { type ApiDeps, apiSettings } from '../api-settings.ts'
import { createJsonApi } from '../http/json-api.ts'
import type { RequestHandler } from '../http/request-handler.ts'
import { type CircuitDeps, circuitOperations } from './circuits.ts'
import { type ClusterOptions, clusterOperations } from './cluster.ts'
import { type FabricDatabaseDeps, fabricDatabaseOperations } from './database.ts'
import { FABRIC_BASE } from './fabric-path.ts'
import { type InspectionDeps, inspectionOperations } from './inspections.ts'
import { type LinkDeps, linkOperations } from './links.ts'

export interface FabricDeps extends ApiDeps, FabricResourceDeps, Omit<LinkDeps & CircuitDeps, 'kit'>, InspectionDeps {
  readonly database: FabricDatabaseDeps
}

export function createFabricApi(deps: FabricDeps, options: ClusterOptions): RequestHandler {
  const operations = fabricOperations(deps, options)
  return createJsonApi({ base: FABRIC_BASE, operations, ...apiSettings(deps, 'fabric', operations) })
}

export function fabricOperations(deps: FabricDeps, options: ClusterOptions): Operation[] {
  const { registry, tables, writer } = deps.core
  const kit = new Kit({ registry: registry.shownBy(fabricResources(deps)), tables, writer, clock: deps.clock })
  return [
    ...resourceOperations(kit),
    ...linkOperations({ ...deps, kit }),
    ...circuitOperations({ ...deps, kit }),
    ...inspectionOperations(deps),
    ...fabricDatabaseOperations(deps.database),
    ...clusterOperations(options),
  ]
}
