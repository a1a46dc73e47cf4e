/** `/routers`: the older path of the transit routers, with the same operations under other names. */
import type { Operation } from '../../operation/operation.ts'

const PATH = '/transit-routers'

/** The operations of transit routers among those given, once more under the older path. */
export function deprecatedRouterOperations(operations: readonly Operation[]): Operation[] {
  return operations
    .filter(({ path }) => path === PATH || path.startsWith(`${PATH}/`))
    .map((operation) => ({
      ...operation,
      operationId: operation.operationId.replace('TransitRouter', 'Router'),
      path: `/routers${operation.path.slice(PATH.length)}`,
    }))
}
