/**
 * Who belongs to which service policy. Controllers know by roles, routers by name: what a change of roles, of attributes
 * or of a policy means for routers is worked out here, at the cost of what was touched.
 */
import { type AccessView, policiesSelecting, policyMembers, type SelectedKind } from '@weft/model'
import { accessView } from '../../policies/access-view.ts'
import type { Row, TableName } from '../../state/row.ts'
import type { RowChange, View } from '../../state/view.ts'
import type { DataEventInit } from './data-event.ts'

type MemberKind = Exclude<SelectedKind, 'edgeRouters'>

/** In this order, which is that of the whole state: checks must be known before the identities they bind. */
const memberKinds = ['services', 'postureChecks', 'identities'] as const satisfies readonly MemberKind[]

const relatedEntityType = {
  services: 'RelatedService',
  identities: 'RelatedIdentity',
  postureChecks: 'RelatedPostureCheck',
} as const

const roleFields: Readonly<Record<MemberKind, string>> = {
  services: 'serviceRoles',
  identities: 'identityRoles',
  postureChecks: 'postureCheckRoles',
}

/** The members of a policy, one event for each kind; an empty list is told too. */
export function* allMembers(view: View, policyId: string): Generator<DataEventInit> {
  const access = accessView(view)
  const policy = access.policy('servicePolicies', policyId)!
  for (const kind of memberKinds) yield membership(policyId, kind, [...policyMembers(access, policy, kind)], true)
}

export interface MembershipChanges {
  readonly added: readonly DataEventInit[]
  readonly removed: readonly DataEventInit[]
}

/** What the changes between two states mean for the members of policies. */
export function membershipChanges(changes: readonly RowChange[], before: View, after: View): MembershipChanges {
  const was = accessView(before)
  const is = accessView(after)
  const tally = new Tally()
  const recounted = new Set<string>()
  for (const change of changes) {
    if (change.table !== 'servicePolicies') continue
    for (const kind of memberKinds) {
      if (!rolesDiffer(change, kind)) continue
      recounted.add(`${kind} ${change.id}`)
      tally.compare(change.id, kind, membersOf(was, change.id, kind), membersOf(is, change.id, kind))
    }
  }
  for (const { table, id, before: old, after: now } of changes) {
    const kind = memberKind(table)
    if (kind === undefined || !attributesDiffer(old, now)) continue
    const held = policyIds(was, kind, id)
    const holds = policyIds(is, kind, id)
    for (const policy of holds)
      if (!held.has(policy) && !recounted.has(`${kind} ${policy}`)) tally.add(policy, kind, id)
    for (const policy of held)
      if (!holds.has(policy) && !recounted.has(`${kind} ${policy}`)) tally.remove(policy, kind, id)
  }
  return tally
}

class Tally implements MembershipChanges {
  readonly #added = new Map<string, Set<string>>()
  readonly #removed = new Map<string, Set<string>>()

  get added(): readonly DataEventInit[] {
    return events(this.#added, true)
  }

  get removed(): readonly DataEventInit[] {
    return events(this.#removed, false)
  }

  add(policy: string, kind: MemberKind, id: string): void {
    put(this.#added, `${kind} ${policy}`, id)
  }

  remove(policy: string, kind: MemberKind, id: string): void {
    put(this.#removed, `${kind} ${policy}`, id)
  }

  compare(policy: string, kind: MemberKind, was: ReadonlySet<string>, is: ReadonlySet<string>): void {
    for (const id of is) if (!was.has(id)) this.add(policy, kind, id)
    for (const id of was) if (!is.has(id)) this.remove(policy, kind, id)
  }
}

function put(sets: Map<string, Set<string>>, key: string, id: string): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([id]))
  else set.add(id)
}

function events(sets: ReadonlyMap<string, ReadonlySet<string>>, isAdded: boolean): readonly DataEventInit[] {
  const found: DataEventInit[] = []
  for (const kind of memberKinds) {
    for (const [key, ids] of sets) {
      const [ofKind, policy] = key.split(' ') as [MemberKind, string]
      if (ofKind === kind) found.push(membership(policy, kind, [...ids], isAdded))
    }
  }
  return found
}

function membership(policyId: string, kind: MemberKind, ids: readonly string[], isAdded: boolean): DataEventInit {
  const change = { policyId, relatedEntityIds: ids, relatedEntityType: relatedEntityType[kind], add: isAdded }
  return { action: 'Create', model: { kind: 'servicePolicyChange', value: change } }
}

function membersOf(access: AccessView, policyId: string, kind: MemberKind): ReadonlySet<string> {
  const policy = access.policy('servicePolicies', policyId)
  return new Set(policy === undefined ? [] : policyMembers(access, policy, kind))
}

function policyIds(access: AccessView, kind: MemberKind, id: string): ReadonlySet<string> {
  return new Set(policiesSelecting(access, 'servicePolicies', kind, id).map((policy) => policy.id))
}

function memberKind(table: TableName): MemberKind | undefined {
  return memberKinds.find((kind) => kind === table)
}

function rolesDiffer({ before, after }: RowChange, kind: MemberKind): boolean {
  if (before === undefined || after === undefined) return true
  const name = roleFields[kind]
  const value = (row: Row) => (row as unknown as Readonly<Record<string, unknown>>)[name]
  const semantic = (row: Row) => (row as unknown as Readonly<Record<string, unknown>>)['semantic']
  return value(before) !== value(after) || semantic(before) !== semantic(after)
}

function attributesDiffer(before: Row | undefined, after: Row | undefined): boolean {
  if (before === undefined || after === undefined) return true
  const value = (row: Row) => (row as unknown as Readonly<Record<string, unknown>>)['roleAttributes']
  return value(before) !== value(after)
}
