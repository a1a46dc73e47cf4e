/**
 * `roleFilter` and `roleSemantic` of lists: entities named by `@id`, and those whose attributes satisfy the semantic.
 *
 * Unlike in policies `#all` is an attribute like any other here, and unknown ids are ignored.
 */
import type { SelectedKind, Semantic } from '@weft/model'
import { fieldError } from '../operation/api-error.ts'
import type { Call, QueryParameter } from '../operation/operation.ts'
import { accessView } from '../policies/access-view.ts'
import type { View } from '../state/view.ts'

const semantics: Readonly<Record<string, Semantic>> = { allof: 'AllOf', anyof: 'AnyOf' }

/** What lists that can be narrowed by roles take. */
export const roleFilterParameters: readonly QueryParameter[] = [
  { name: 'roleFilter', kind: 'texts' },
  { name: 'roleSemantic', kind: 'text' },
]

export function narrowByRoles(kind: SelectedKind) {
  return (call: Call, view: View): ReadonlySet<string> | undefined => {
    const roles = call.query.getAll('roleFilter')
    if (roles.length === 0) return undefined
    const semantic = wantedSemantic(call)
    for (const role of roles) {
      if (!role.startsWith('#') && !role.startsWith('@')) throw fieldError('roleFilter', 'must begin with # or @', role)
    }
    const candidates = accessView(view).candidates(kind)
    const named = (prefix: string) => roles.filter((role) => role.startsWith(prefix)).map((role) => role.slice(1))
    const found = new Set(named('@').filter((id) => candidates.has(id)))
    const attributes = named('#')
    const needed = semantic === 'AllOf' ? attributes : []
    for (const attribute of semantic === 'AllOf' ? attributes.slice(0, 1) : attributes) {
      for (const id of candidates.withAttribute(attribute)) {
        const held = candidates.attributesOf(id)
        if (needed.every((other) => held.includes(other))) found.add(id)
      }
    }
    return found
  }
}

function wantedSemantic(call: Call): Semantic {
  const wanted = call.query.get('roleSemantic') || 'AllOf'
  const semantic = semantics[wanted.toLowerCase()]
  if (semantic === undefined) throw fieldError('semantic', 'invalid semantic', wanted)
  return semantic
}
