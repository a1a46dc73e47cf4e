/**
 * What the three kinds of policies share: a name, a semantic, role lists, and how roles are shown to people.
 */
import { type PolicyKind, policyMembers, type SelectedKind } from '@weft/model'
import { refusal } from '../operation/api-error.ts'
import type { Action } from '../operation/operation.ts'
import { accessView, isSelectable } from '../policies/access-view.ts'
import { oneOf, roles, uniqueName } from '../resource-kit/fields.ts'
import type { Rendering, Sublist } from '../resource-kit/resource.ts'
import type { Row, TableName } from '../state/row.ts'

export const policyFields = {
  name: uniqueName(),
  semantic: oneOf(['AllOf', 'AnyOf'], { required: 'on create and put', symbol: true }),
}

export const identityRoles = roles('identities')
export const serviceRoles = roles('services', { isSelectable })
export const edgeRouterRoles = roles('routers', { isSelectable })
export const postureCheckRoles = roles('postureChecks')

/** One line per role, with the entity's present name in place of its id; what is gone is left out. */
export function rolesDisplay(table: TableName, roles: readonly string[], { view }: Rendering) {
  const lines: { role: string; name: string }[] = []
  for (const role of roles) {
    if (!role.startsWith('@')) lines.push({ role, name: role })
    else {
      const target = view.get(table, role.slice(1)) as { readonly name?: string } | undefined
      if (target !== undefined) lines.push({ role, name: `@${target.name}` })
    }
  }
  return lines
}

/** The members of a policy, listed below it. */
export function memberSublist(kind: PolicyKind, selected: SelectedKind, of: string, operationId: string): Sublist {
  return {
    of,
    ids: (id, view) => {
      const access = accessView(view)
      const policy = access.policy(kind, id)
      return policy === undefined ? [] : policyMembers(access, policy, selected)
    },
    operationId,
    isLinked: true,
  }
}

/** A guard: what the controller made for itself is changed by the controller alone. */
export function refuseSystem(singular: string, action: Action, before: Row | undefined): void {
  if (before?.isSystem !== true || action === 'read') return
  const verb = action === 'delete' ? 'delete' : 'update'
  const code = action === 'delete' ? 'ENTITY_CAN_NOT_BE_DELETED' : 'ENTITY_CAN_NOT_BE_UPDATED'
  throw refusal(code, `cannot ${verb} system ${singular} in a non-system context (id=${before.id})`)
}
