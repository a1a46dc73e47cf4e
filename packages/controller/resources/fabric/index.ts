/** What the fabric API shows of the tables that it shares with the edge. */
import type { Resource } from '../../resource-kit/resource.ts'
import { fabricRouters } from './routers.ts'
import { fabricServices } from './services.ts'
import { fabricTerminators } from './terminators.ts'

export type FabricResourceDeps = Parameters<typeof fabricRouters>[0] & Parameters<typeof fabricTerminators>[0]

export function fabricResources(deps: FabricResourceDeps): readonly Resource[] {
  return [fabricServices, fabricRouters(deps), fabricTerminators(deps)]
}
