/** What two copies of the data model do not agree on, in the words that controllers report it with. */
import { isDeepStrictEqual } from 'node:util'
import type { RouterDataModelDiff } from '@weft/wire/messages'
import { type DataModel, type DataTableName, memberKinds } from './data-model.ts'

/** Under which names counts and differences of a table are reported; the former are as the peers spell them. */
const labels: Readonly<Record<DataTableName, { readonly count: string; readonly entity: string }>> = {
  configType: { count: 'configType', entity: 'configType' },
  config: { count: 'configs', entity: 'config' },
  identity: { count: 'identities', entity: 'identity' },
  service: { count: 'Services', entity: 'service' },
  router: { count: 'routers', entity: 'router' },
  servicePolicy: { count: 'service-policies', entity: 'service-policy' },
  postureCheck: { count: 'posture-checks', entity: 'posture-check' },
  publicKey: { count: 'public-keys', entity: 'public-keys' },
  revocation: { count: 'revocations', entity: 'revocations' },
}
const tableNames = Object.keys(labels) as DataTableName[]
const cachedKeys = 'cached-public-keys'
/** A model that differs in more than this is another model. */
const mostDiffs = 10_000

export function entityCounts(model: DataModel): Map<string, number> {
  const counts = tableNames.map((name): [string, number] => [labels[name].count, model.tables[name].size])
  return new Map([...counts, [cachedKeys, model.tables.publicKey.size]])
}

/** How a copy differs from what it should be. */
export function diffModels(correct: DataModel, copy: DataModel): readonly RouterDataModelDiff[] {
  const diffs: RouterDataModelDiff[] = []
  for (const diff of differences(correct, copy)) {
    diffs.push(diff)
    if (diffs.length >= mostDiffs) break
  }
  return diffs
}

function* differences(correct: DataModel, copy: DataModel): Generator<RouterDataModelDiff> {
  for (const name of tableNames) {
    const entityType = labels[name].entity
    const wanted: ReadonlyMap<string, object> = correct.tables[name]
    const found: ReadonlyMap<string, object> = copy.tables[name]
    for (const [entityId, value] of wanted) {
      const other = found.get(entityId)
      if (other === undefined) yield { entityType, entityId, diffType: 'removed', detail: 'entity missing' }
      else if (!isDeepStrictEqual(comparable(value), comparable(other))) {
        yield { entityType, entityId, diffType: 'modified', detail: 'its fields differ' }
      }
    }
    for (const entityId of found.keys()) {
      if (!wanted.has(entityId)) yield { entityType, entityId, diffType: 'added', detail: 'entity unexpected' }
    }
  }
  for (const policyId of correct.tables.servicePolicy.keys()) {
    for (const kind of memberKinds) {
      const wanted = correct.members[kind].membersOf(policyId)
      const found = copy.members[kind].membersOf(policyId)
      if (wanted.symmetricDifference(found).size === 0) continue
      const detail = `${wanted.difference(found).size} members missing, ${found.difference(wanted).size} unexpected: ${kind}`
      yield { entityType: labels.servicePolicy.entity, entityId: policyId, diffType: 'modified', detail }
    }
  }
}

/** Lists that are sets are in an order of their own. */
function comparable(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      Array.isArray(each) && each.every(isText) ? each.toSorted() : each,
    ]),
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
