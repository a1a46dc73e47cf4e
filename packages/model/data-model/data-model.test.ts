import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChangeSet, changeSet, type DataEvent, type DataState, dataState } from '@weft/wire/messages'
import { DataModel } from './data-model.ts'
import { accessibleServices, grantingServicePolicies } from './data-model-access.ts'
import { diffModels, entityCounts } from './data-model-diff.ts'
import { shownModel } from './data-model-shown.ts'
import { stateOf } from './data-model-state.ts'

type ModelInit = NonNullable<Parameters<typeof dataState.encode>[0]['events']>[number]['model']

const event = (model: ModelInit, action: 'Create' | 'Update' | 'Delete' = 'Create') => ({ action, model })
const identity = (id: string, disabled = false) => event({ kind: 'identity', value: { id, name: id, disabled } })
const service = (id: string) => event({ kind: 'service', value: { id, name: id } })
const policy = (id: string, policyType: 'DialPolicy' | 'BindPolicy') =>
  event({ kind: 'servicePolicy', value: { id, name: id, policyType } })
const members = (
  policyId: string,
  relatedEntityType: 'RelatedService' | 'RelatedIdentity',
  relatedEntityIds: string[],
  add = true,
) => event({ kind: 'servicePolicyChange', value: { policyId, relatedEntityType, relatedEntityIds, add } })

const network = [
  identity('alice'),
  identity('bob'),
  service('web'),
  service('ssh'),
  policy('dial', 'DialPolicy'),
  members('dial', 'RelatedService', ['web', 'ssh']),
  members('dial', 'RelatedIdentity', ['alice']),
  policy('bind', 'BindPolicy'),
  members('bind', 'RelatedService', ['web']),
  members('bind', 'RelatedIdentity', ['alice', 'bob']),
]

function state(events: readonly ReturnType<typeof event>[], endIndex = 42): DataState {
  return dataState.decode(dataState.encode({ events, endIndex, timelineId: 't1' }))
}

function change(index: number, ...changes: readonly ReturnType<typeof event>[]): ChangeSet {
  return changeSet.decode(changeSet.encode({ index, changes }))
}

const dials = (model: DataModel, id: string) => [...accessibleServices(model, id, 'dial')].sort()

test('who may use what follows from policies, both ways', () => {
  const model = DataModel.of(state(network))
  assert.deepEqual([model.index, model.timelineId], [42, 't1'])
  assert.deepEqual(dials(model, 'alice'), ['ssh', 'web'])
  assert.deepEqual(dials(model, 'bob'), [])
  const granted = (id: string, use: 'dial' | 'bind') =>
    grantingServicePolicies(model, id, 'web', use).map((each) => each.id)
  assert.deepEqual(granted('alice', 'dial'), ['dial'])
  assert.deepEqual(granted('bob', 'bind'), ['bind'])
  assert.deepEqual(granted('bob', 'dial'), [])
  assert.deepEqual(granted('nobody', 'dial'), [])
})

test('changes are taken in, and move the index unless they are synthetic', () => {
  const model = DataModel.of(state(network))
  model.take(change(43, members('dial', 'RelatedService', ['ssh'], false)))
  assert.deepEqual(dials(model, 'alice'), ['web'])
  model.take(change(44, identity('alice', true)))
  assert.deepEqual(dials(model, 'alice'), [], 'who is disabled may nothing')
  model.take(change(45, identity('alice')))
  model.take(change(46, event({ kind: 'service', value: { id: 'web' } }, 'Delete')))
  assert.deepEqual(dials(model, 'alice'), [])
  model.take(change(47, service('web')))
  assert.deepEqual(dials(model, 'alice'), [], 'what is new is in no policy')
  model.take({ ...change(99, identity('carol')), isSynthetic: true })
  assert.equal(model.index, 47)
  model.take(change(48))
  assert.equal(model.index, 48)
})

test('members of a policy that nobody knows, and events of a kind that nobody knows, are passed over', () => {
  const model = DataModel.of(state([members('none', 'RelatedService', ['web'])]))
  model.take({ ...change(43), changes: [{ action: 'Create', isSynthetic: false, model: undefined } as DataEvent] })
  assert.deepEqual([...model.members.service.membersOf('none')], [])
})

test('a config for routers goes with its entry in the own record, and only that', () => {
  const config = (id: string, typeId: string) =>
    event({ kind: 'config', value: { id, typeId, name: id, dataJson: '{}' } })
  const router = (configs: string[]) => event({ kind: 'router', value: { id: 'r1', name: 'r1', configs } }, 'Update')
  const events = [
    event({ kind: 'configType', value: { id: 'links', name: 'router.link.v1', target: 'router' } }),
    event({ kind: 'configType', value: { id: 'host', name: 'host.v1', target: 'service' } }),
    config('c1', 'links'),
    config('c2', 'host'),
    router(['c1', 'c2']),
  ]
  const own = DataModel.of(state(events), { routerId: 'r1' })
  const other = DataModel.of(state(events), { routerId: 'r2' })
  for (const model of [own, other]) model.take(change(43, router([])))
  assert.deepEqual([...own.tables.config.keys()], ['c2'])
  assert.deepEqual([...other.tables.config.keys()], ['c1', 'c2'])
})

test('the state of a model makes the same model again', () => {
  const keys = event({ kind: 'publicKey', value: { kid: 'k1', data: Buffer.from('key'), usages: ['JWTValidation'] } })
  const model = DataModel.of(state([...network, keys]))
  const again = DataModel.of(dataState.decode(dataState.encode(stateOf(model))))
  assert.deepEqual(diffModels(model, again), [])
  assert.deepEqual(entityCounts(again), entityCounts(model))
  assert.deepEqual([again.index, again.timelineId], [42, 't1'])
})

test('what two copies do not agree on is told entity by entity', () => {
  const correct = DataModel.of(state(network))
  const copy = DataModel.of(
    state([
      ...network.slice(1),
      identity('mallory'),
      event({ kind: 'service', value: { id: 'web', name: 'other' } }),
      members('dial', 'RelatedService', ['ssh'], false),
    ]),
  )
  const told = diffModels(correct, copy).map(
    ({ entityType, entityId, diffType }) => `${entityType} ${entityId} ${diffType}`,
  )
  assert.deepEqual(told.sort(), [
    'identity alice removed',
    'identity mallory added',
    'service web modified',
    'service-policy dial modified',
  ])
  assert.equal(entityCounts(correct).get('identities'), 2)
})

test('what is shown is plain, by id, with the members of policies', () => {
  const key = event({ kind: 'publicKey', value: { kid: 'k1', data: Buffer.from('key') } })
  const costs = new Map([['web', 7]])
  const carol = event({ kind: 'identity', value: { id: 'carol', name: 'carol', serviceHostingCosts: costs } })
  const shown = JSON.parse(JSON.stringify(shownModel(DataModel.of(state([...network, key, carol])))))
  assert.deepEqual(Object.keys(shown.identities), ['alice', 'bob', 'carol'])
  assert.deepEqual(shown.identities.carol.serviceHostingCosts, { web: 7 })
  assert.equal(shown.publicKeys.k1.data, 'a2V5')
  const { identities, services, postureChecks, policyType } = shown.servicePolicies.bind
  assert.deepEqual([identities, services, postureChecks, policyType], [['alice', 'bob'], ['web'], [], 'BindPolicy'])
})
