/** Whether those who are connected to routers are those whom the controller believes to be. */
import type { IdentityConnections } from '../../fabric/identity-connections.ts'
import { inspectJson } from '../inspection/inspect-router.ts'
import type { ComponentResult } from './data-model.ts'
import {
  ANSWER_LIMIT,
  NotConnectedError,
  ofRouters,
  type RouterRow,
  type Validation,
  type ValidationDeps,
} from './validation.ts'

interface InspectedIdentity {
  readonly unreported_count?: number
  readonly unreported_state_changed?: boolean
  readonly being_reported_count?: number
  readonly being_reported_state_changed?: boolean
  readonly connections?: readonly { readonly closed?: boolean }[] | null
}

const VALUE = 'identity-connection-statuses'

export function validateIdentityConnections(
  deps: ValidationDeps & { readonly identities: IdentityConnections },
  filter: string,
): Promise<Validation<ComponentResult>> {
  return ofRouters<ComponentResult>(deps, filter, {
    async connected(router, connection, signal) {
      const answer = await inspectJson(connection, VALUE, { timeoutMilliseconds: ANSWER_LIMIT, signal })
      const { identity_connections: found } = answer as {
        identity_connections?: Record<string, InspectedIdentity> | null
      }
      return {
        ...head(router),
        validateSuccess: true,
        errors: [...differences(deps.identities, router.id, found ?? {})],
      }
    },
    failed(router, error) {
      // Who is connected to a router that is away nobody can say.
      if (error instanceof NotConnectedError) return { ...head(router), validateSuccess: true }
      return { ...head(router), validateSuccess: false, errors: [error.message] }
    },
  })
}

function head({ id: componentId, name: componentName }: RouterRow) {
  return { componentType: 'router', componentId, componentName }
}

function* differences(
  identities: IdentityConnections,
  routerId: string,
  found: Readonly<Record<string, InspectedIdentity>>,
): Generator<string> {
  const unseen = new Set(identities.known().filter((id) => identities.routersOf(id).includes(routerId)))
  for (const [id, inspected] of Object.entries(found)) {
    const isThere = inspected.connections?.some(({ closed }) => !closed) ?? false
    const isBelieved = unseen.delete(id)
    if (isThere && !isBelieved) yield `router reports identity ${id} connected, but controller disagrees`
    if (!isThere && isBelieved) yield `router reports identity ${id} is not connected, but controller disagrees`
    if ((inspected.unreported_count ?? 0) > 0) yield `identity ${id} has unreported events`
    if ((inspected.being_reported_count ?? 0) > 0) yield `identity ${id} has events still being reported`
    if (inspected.unreported_state_changed) yield `identity ${id} has unreported state change`
    if (inspected.being_reported_state_changed) yield `identity ${id} has state change being reported`
  }
  for (const id of unseen) yield `ctrl reports identity ${id} is connected, but router disagrees`
}
