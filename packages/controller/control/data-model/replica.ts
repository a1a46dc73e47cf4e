/**
 * A router's copy of the data model, as simple as can be: for tests, which compare it with the whole state.
 */
import { changeSet, type DataEvent, dataState } from '@weft/wire/messages'

export class Replica {
  index = 0
  timelineId = ''
  readonly #entities = new Map<string, string>()
  readonly #members = new Map<string, Set<string>>()

  takeState(body: Buffer): void {
    const { events, endIndex, timelineId } = dataState.decode(body)
    this.#entities.clear()
    this.#members.clear()
    for (const event of events) this.#apply(event)
    this.index = endIndex
    this.timelineId = timelineId
  }

  /** Throws when the change set does not follow on what is known. */
  takeChangeSet(body: Buffer): void {
    const { index, previousIndex, isSynthetic, changes } = changeSet.decode(body)
    if (!isSynthetic && previousIndex !== this.index) throw new Error(`${previousIndex} is not ${this.index}`)
    for (const event of changes) this.#apply(event)
    if (!isSynthetic) this.index = index
  }

  has(kind: string, id: string): boolean {
    return this.#entities.has(`${kind} ${id}`)
  }

  /** Everything that is known, in an order of its own. */
  content(): readonly string[] {
    const members = [...this.#members].flatMap(([policy, ids]) => [...ids].map((id) => `member ${policy} ${id}`))
    return [...[...this.#entities].map(([key, value]) => `${key} ${value}`), ...members].sort()
  }

  #apply({ action, model }: DataEvent): void {
    if (model === undefined) throw new Error('an event without content')
    if (model.kind === 'servicePolicyChange') {
      const { policyId, relatedEntityIds, relatedEntityType, add } = model.value
      // A policy and its members must be known before they are brought together.
      if (!this.has('servicePolicy', policyId)) throw new Error(`members of the unknown policy ${policyId}`)
      for (const id of relatedEntityIds) this.#member(policyId, `${relatedEntityType} ${id}`, id, add)
      return
    }
    const id = model.kind === 'publicKey' ? model.value.kid : model.value.id
    const key = `${model.kind} ${id}`
    if (action === 'Delete') {
      if (!this.#entities.delete(key)) throw new Error(`${key} was not known`)
      if (model.kind === 'servicePolicy') this.#members.delete(id)
      return
    }
    if (action === 'Update' && !this.#entities.has(key)) throw new Error(`${key} changes and was not known`)
    this.#entities.set(key, JSON.stringify(model.value, plain))
  }

  #member(policyId: string, member: string, id: string, isAdded: boolean): void {
    const kind = member.startsWith('RelatedService')
      ? 'service'
      : member.startsWith('RelatedIdentity')
        ? 'identity'
        : 'postureCheck'
    if (!this.has(kind, id)) throw new Error(`the unknown ${kind} ${id} is a member`)
    const members = this.#members.get(policyId) ?? new Set()
    this.#members.set(policyId, members)
    if (isAdded) members.add(member)
    else if (!members.delete(member)) throw new Error(`${member} was no member of ${policyId}`)
  }
}

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value].sort()
  return typeof value === 'bigint' ? String(value) : value
}
