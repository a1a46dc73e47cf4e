/** Who belongs to which policy, looked up from both ends. */
const none: ReadonlySet<string> = new Set()

export class MemberSets {
  readonly #ofPolicy = new Map<string, Set<string>>()
  readonly #ofMember = new Map<string, Set<string>>()

  add(policyId: string, memberId: string): void {
    link(this.#ofPolicy, policyId, memberId)
    link(this.#ofMember, memberId, policyId)
  }

  remove(policyId: string, memberId: string): void {
    unlink(this.#ofPolicy, policyId, memberId)
    unlink(this.#ofMember, memberId, policyId)
  }

  membersOf(policyId: string): ReadonlySet<string> {
    return this.#ofPolicy.get(policyId) ?? none
  }

  policiesOf(memberId: string): ReadonlySet<string> {
    return this.#ofMember.get(memberId) ?? none
  }

  removePolicy(policyId: string): void {
    for (const memberId of [...this.membersOf(policyId)]) this.remove(policyId, memberId)
  }

  removeMember(memberId: string): void {
    for (const policyId of [...this.policiesOf(memberId)]) this.remove(policyId, memberId)
  }
}

function link(sets: Map<string, Set<string>>, from: string, to: string): void {
  const set = sets.get(from)
  if (set === undefined) sets.set(from, new Set([to]))
  else set.add(to)
}

function unlink(sets: Map<string, Set<string>>, from: string, to: string): void {
  const set = sets.get(from)
  if (set?.delete(to) && set.size === 0) sets.delete(from)
}
