/** An operation with everything about it that does not depend on the request worked out once. */
import type { Operation, QueryParameter } from '../../operation/operation.ts'
import { JSON_TYPE } from './negotiation.ts'
import type { RouteEntry } from './route-table.ts'

export interface PreparedRoute extends RouteEntry {
  readonly operation: Operation
  /** Media types of a body, JSON among them. */
  readonly consumes: readonly string[]
  readonly parameters: readonly QueryParameter[]
  readonly hasRequiredParameter: boolean
  readonly ignoresAccept: boolean
}

const JSON_ONLY = [JSON_TYPE]

/** Prepares an operation for the route table. */
export function prepareRoute(operation: Operation): PreparedRoute {
  const { method, path, body, parameters = [], produces } = operation
  return {
    method,
    path,
    operation,
    consumes: body?.alsoConsumes === undefined ? JSON_ONLY : [JSON_TYPE, ...body.alsoConsumes],
    parameters,
    hasRequiredParameter: parameters.some(({ isRequired }) => isRequired),
    ignoresAccept: produces !== undefined,
  }
}
