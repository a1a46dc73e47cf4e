/**
 * `roleFilter` and `roleSemantic` of lists: entities named by `@id`, and those whose attributes satisfy the semantic.
 *
 * Unlike in policies `#all` is an attribute like any other here, and unknown ids are ignored.
 */

import type { SelectedKind } from '@weft/model'
import { type Semantic, selected } from '@weft/model'
import { fieldError } from '../api/api-error.ts'
import type { Call } from '../api/operation.ts'
import { accessView } from '../policies/access-view.ts'
import type { View } from '../state/view.ts'

const semantics: Readonly<Record<string, Semantic>> = { allof: 'AllOf', anyof: 'AnyOf' }

export function narrowByRoles(kind: SelectedKind) {
  return (call: Call, view: View): ReadonlySet<string> | undefined => {
    const roles = call.query.getAll('roleFilter')
    if (roles.length === 0) return undefined
    const wanted = call.query.get('roleSemantic') || 'AllOf'
    const semantic = semantics[wanted.toLowerCase()]
    if (semantic === undefined) throw fieldError('semantic', 'invalid semantic', wanted)
    for (const role of roles) {
      if (!role.startsWith('#') && !role.startsWith('@')) throw fieldError('roleFilter', 'must begin with # or @', role)
    }
    const candidates = accessView(view).candidates(kind)
    // The keyword is no keyword here: looked up as an attribute of that name.
    const terms = roles.filter((role) => role !== '#all')
    const isAllAsked = terms.length < roles.length
    if (!isAllAsked) return new Set(selected(terms, semantic, candidates))
    const named = new Set(selected(terms, semantic, candidates))
    const withAll = new Set(candidates.withAttribute('all'))
    if (semantic === 'AnyOf') return named.union(withAll)
    return new Set([...named].filter((id) => roles.includes(`@${id}`) || withAll.has(id)))
  }
}
