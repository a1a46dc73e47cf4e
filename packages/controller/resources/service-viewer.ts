/**
 * Whoever looks at services: the caller, or the identity an administrator asks to look as.
 *
 * Which policies select the viewer, and which config types it asked for, is found out once per request and not once per
 * service of a list.
 */
import { type AccessPolicy, policiesSelecting, policyLookup } from '@weft/model'
import { refusal } from '../operation/api-error.ts'
import type { Call, QueryParameter } from '../operation/operation.ts'
import { accessView } from '../policies/access-view.ts'
import type { Rendering } from '../resource-kit/resource.ts'
import { findOne, type View } from '../state/view.ts'
import type { Service } from './services.ts'

export interface Viewer {
  readonly identityId: string
  /** The policies that grant the viewer something on a service: `Bind` before `Dial`, then by id. */
  policiesFor(service: Service): readonly AccessPolicy[]
  /** The ids of the config types that were asked for; undefined when all were. */
  readonly configTypes: ReadonlySet<string> | undefined
}

/** What a list of services takes that depends on who looks. */
export const viewerParameters: readonly QueryParameter[] = [
  { name: 'configTypes', kind: 'texts' },
  { name: 'asIdentity', kind: 'text' },
]

/** Kept for as long as the request is being answered. */
const viewers = new WeakMap<Rendering, Viewer>()

export function viewerOf(rendering: Rendering): Viewer {
  const known = viewers.get(rendering)
  if (known !== undefined) return known
  const { call, view, place } = rendering
  const identityId = place === 'list' ? viewingIdentity(call, view) : call.caller.identityId
  const viewer = { identityId, policiesFor: policiesOf(view, identityId), configTypes: wantedConfigTypes(call, view) }
  viewers.set(rendering, viewer)
  return viewer
}

/** Whoever calls looks for himself, whatever `asIdentity` says; a `configTypes` that names nothing asks for nothing. */
export function viewAsCaller(rendering: Rendering): Viewer {
  const { call, view } = rendering
  const { identityId } = call.caller
  const named = call.query.has('configTypes') ? namedConfigTypes(call) : sessionConfigTypes(call, view)
  const viewer = { identityId, policiesFor: policiesOf(view, identityId), configTypes: knownConfigTypes(named, view) }
  viewers.set(rendering, viewer)
  return viewer
}

/** The identity of `asIdentity`, an id or a name, or else the caller; only administrators may look as somebody else. */
export function viewingIdentity({ query, caller }: Call, view: View): string {
  const wanted = query.get('asIdentity')
  if (!wanted) return caller.identityId
  if (!caller.isAdmin) throw refusal('UNAUTHORIZED', 'only administrators may look as another identity')
  const identity = view.get('identities', wanted) ?? findOne(view, 'identities', 'name', wanted)
  if (identity === undefined) throw refusal('NOT_FOUND', `identity with id or name ${wanted} not found`)
  return identity.id
}

function policiesOf(view: View, identityId: string): Viewer['policiesFor'] {
  const policies = [...policiesSelecting(accessView(view), 'servicePolicies', 'identities', identityId)]
  policies.sort((a, b) => (order(a) < order(b) ? -1 : 1))
  const lookup = policyLookup(policies, 'services')
  return ({ id, roleAttributes }) => lookup(id, roleAttributes)
}

function order({ type, id }: AccessPolicy): string {
  return `${type} ${id}`
}

const MOST_CONFIG_TYPES = 100

/** From the query, ids or names in one or several `configTypes`, or else from the login. */
function wantedConfigTypes(call: Call, view: View): ReadonlySet<string> | undefined {
  const named = namedConfigTypes(call)
  return knownConfigTypes(named.some((name) => name !== '') ? named : sessionConfigTypes(call, view), view)
}

function namedConfigTypes({ query }: Call): readonly string[] {
  const names = query.getAll('configTypes').flatMap((text) => text.split(',', MOST_CONFIG_TYPES))
  return names.slice(0, MOST_CONFIG_TYPES)
}

function sessionConfigTypes({ caller }: Call, view: View): readonly string[] {
  if (caller.bearer !== undefined) return caller.bearer.configTypes
  return (caller.sessionId && view.get('apiSessions', caller.sessionId)?.configTypes) || []
}

function knownConfigTypes(wanted: readonly string[], view: View): ReadonlySet<string> | undefined {
  if (wanted.includes('all')) return undefined
  const types = wanted.map((name) => view.get('configTypes', name) ?? findOne(view, 'configTypes', 'name', name))
  return new Set(types.flatMap((type) => (type === undefined ? [] : [type.id])))
}
