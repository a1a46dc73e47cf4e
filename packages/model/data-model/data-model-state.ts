/** A model as the whole state it stands for, in the order in which a receiver can link references while it reads. */
import type { DataEvent, DataState } from '@weft/wire/messages'
import { type DataModel, type DataTableName, type MemberKind, memberKinds } from './data-model.ts'

const before = ['configType', 'config', 'identity', 'service', 'router', 'postureCheck'] as const
const after = ['publicKey', 'revocation'] as const

const relatedType = {
  service: 'RelatedService',
  identity: 'RelatedIdentity',
  postureCheck: 'RelatedPostureCheck',
} as const satisfies Readonly<Record<MemberKind, string>>

export function stateOf(model: DataModel): DataState {
  return { events: [...events(model)], endIndex: model.index, timelineId: model.timelineId, caches: new Map() }
}

function* events(model: DataModel): Generator<DataEvent> {
  for (const kind of before) yield* created(model, kind)
  for (const policy of model.tables.servicePolicy.values()) {
    yield event({ kind: 'servicePolicy', value: policy })
    for (const kind of memberKinds) {
      const relatedEntityIds = [...model.members[kind].membersOf(policy.id)]
      const value = { policyId: policy.id, relatedEntityIds, relatedEntityType: relatedType[kind], add: true }
      yield event({ kind: 'servicePolicyChange', value })
    }
  }
  for (const kind of after) yield* created(model, kind)
}

function* created(model: DataModel, kind: DataTableName): Generator<DataEvent> {
  for (const value of model.tables[kind].values()) yield event({ kind, value } as NonNullable<DataEvent['model']>)
}

function event(model: NonNullable<DataEvent['model']>): DataEvent {
  return { action: 'Create', isSynthetic: model.kind === 'publicKey', model }
}
