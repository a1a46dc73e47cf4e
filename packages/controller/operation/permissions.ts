/**
 * Who may do what: the permission table of the management and fabric APIs.
 *
 * An operation asks for an entity and an action. Admins pass; `admin_readonly` passes reads; everyone else needs the
 * entity's grant or the one for that action. Stored grants count only once authentication is complete.
 */

import type { Caller } from './caller.ts'
import type { Access, Action } from './operation.ts'

const crud: readonly Action[] = ['read', 'create', 'update', 'delete']

/** Entities whose grants can be given to an identity, with the actions that exist for them. */
const grantable: Readonly<Record<string, readonly Action[]>> = {
  'auth-policy': crud,
  ca: crud,
  config: crud,
  'config-type': crud,
  'edge-router-policy': crud,
  enrollment: crud,
  'external-jwt-signer': crud,
  identity: crud,
  ops: ['read', 'update', 'delete'],
  'posture-check': crud,
  router: crud,
  service: crud,
  'service-edge-router-policy': crud,
  'service-policy': crud,
  terminator: crud,
}

/** Every grant an identity can be given, in the order in which refusals list them. */
export const assignableGrants: readonly string[] = [
  'admin_readonly',
  ...Object.entries(grantable).flatMap(([entity, actions]) => [
    entity,
    ...actions.map((action) => `${entity}.${action}`),
  ]),
]

export function allows(caller: Caller, access: Access): boolean {
  if (access === 'anyone') return true
  if (access === 'partial') return caller.kind !== 'nobody'
  if (caller.kind !== 'full') return false
  if (access === 'session') return true
  if (caller.isAdmin) return true
  if (access === 'admin') return false
  const { entity, action, isBeyondReadonly = false } = access
  if (action === 'read' && !isBeyondReadonly && caller.grants.has('admin_readonly')) return true
  return caller.grants.has(entity) || caller.grants.has(`${entity}.${action}`)
}
