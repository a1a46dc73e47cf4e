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
import { streamOperation } from './stream/stream-operation.ts'

export interface FabricDeps extends ApiDeps, FabricResourceDeps, Omit<LinkDeps & CircuitDeps, 'kit'> {
  readonly database: FabricDatabaseDeps
  readonly inspector: InspectionDeps['inspector']
}

export function createFabricApi(deps: FabricDeps, options: ClusterOptions): RequestHandler {
  const operations = fabricOperations(deps, options)
  return createJsonApi({ base: FABRIC_BASE, operations, ...apiSettings(deps, 'fabric', operations) })
}

/** The kit by which fabric entities are shown and selected. */
export function fabricKit({ core, clock, ...deps }: Pick<FabricDeps, 'core' | 'clock'> & FabricResourceDeps): Kit {
  const { registry, tables, writer } = core
  return new Kit({ registry: registry.shownBy(fabricResources(deps)), tables, writer, clock })
}

export function fabricOperations(deps: FabricDeps, options: ClusterOptions): Operation[] {
  const kit = fabricKit(deps)
  return [
    ...resourceOperations(kit),
    ...linkOperations({ ...deps, kit }),
    ...circuitOperations({ ...deps, kit }),
    ...inspectionOperations(deps, options),
    ...fabricDatabaseOperations(deps.database),
    ...clusterOperations(options),
    streamOperation,
  ]
}
