/**
 * The identity of a router that dials and hosts services itself, under the router's own id and name, and the policy by which
 * it enters at itself. Both are written in the router's transaction: a router that is visible before its identity would
 * be refused at its first dial.
 */
import type { Change } from '../resource-kit/change.ts'
import type { Row } from '../state/row.ts'

interface TunnelingRouter extends Row {
  readonly name: string
  readonly isTunnelerEnabled: boolean
}

export function keepTunnelerIdentity(
  change: Change,
  next: TunnelingRouter | undefined,
  before: TunnelingRouter | undefined,
): void {
  if (next?.isTunnelerEnabled) ensureIdentity(change, next)
  else if (before?.isTunnelerEnabled) {
    change.remove('edgeRouterPolicies', before.id)
    change.remove('identities', before.id)
  }
}

function ensureIdentity(change: Change, { id, name }: TunnelingRouter): void {
  const identity = change.view.get('identities', id)
  if (identity !== undefined) {
    if (identity.name !== name) change.update('identities', id, { name })
    return
  }
  change.create('identities', { name, typeId: 'Router' }, { id })
  const roles = [`@${id}`]
  const policy = { name: `edge-router-${id}-system`, semantic: 'AnyOf', edgeRouterRoles: roles, identityRoles: roles }
  change.create('edgeRouterPolicies', policy, { id, isSystem: true })
}
