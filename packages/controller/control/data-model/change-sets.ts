/**
 * From commits to change sets: what happened in one batch, in an order in which every reference leads to something that
 * is already known, and nothing goes before what refers to it.
 */

import { isDeepStrictEqual } from 'node:util'
import type { TableSpec } from '../../state/index-spec.ts'
import { Overlay } from '../../state/overlay.ts'
import type { Row, TableName } from '../../state/row.ts'
import type { RowChange, View } from '../../state/view.ts'
import type { Commit } from '../../state/writer.ts'
import type { DataEventInit } from './data-event.ts'
import { describe, isModelTable } from './entities.ts'
import { membershipChanges } from './membership.ts'

/** The order of the whole state, and of what is new. Revocations come last: they speak of identities. */
export const modelOrder = [
  'configTypes',
  'configs',
  'identities',
  'services',
  'routers',
  'postureChecks',
  'servicePolicies',
] as const satisfies readonly TableName[]

export interface ChangeEvents {
  /** Of the last commit that they come from. */
  readonly index: number
  readonly events: readonly DataEventInit[]
}

/** What a batch of commits means for routers; undefined when it means nothing. `now` is the state after the batch. */
export function changeEvents(
  commits: readonly Commit[],
  now: View,
  specs: ReadonlyMap<string, TableSpec>,
): ChangeEvents | undefined {
  const changes = netChanges(commits)
  if (changes.length === 0) return undefined
  const before = new Overlay(now, specs)
  for (const change of changes) before.put(change.table, change.id, change.before)
  const { added, removed } = membershipChanges(changes, before, now)
  const events: DataEventInit[] = []
  for (const table of modelOrder) {
    for (const change of changes) {
      if (change.table === table && change.after !== undefined) events.push(...written(change))
    }
  }
  events.push(...added, ...removed)
  for (const change of changes) {
    if (change.table === 'revocations') events.push(...written(change), ...deleted(change))
  }
  for (const table of modelOrder.toReversed()) {
    for (const change of changes) if (change.table === table) events.push(...deleted(change))
  }
  return events.length === 0 ? undefined : { index: commits.at(-1)!.index, events }
}

/** One change per row: between batches nobody saw what was in between. */
function netChanges(commits: readonly Commit[]): readonly RowChange[] {
  const net = new Map<string, RowChange>()
  for (const { changes } of commits) {
    for (const change of changes) {
      if (!isModelTable(change.table)) continue
      const key = `${change.table} ${change.id}`
      net.set(key, { ...change, before: net.has(key) ? net.get(key)!.before : change.before })
    }
  }
  return [...net.values()].filter(({ before, after }) => before !== after)
}

/** Nothing when the row has changed, but not what routers know of it. */
function* written({ table, before, after }: RowChange): Generator<DataEventInit> {
  if (after === undefined) return
  const next = describe(table, after)
  const was = before === undefined ? undefined : describe(table, before)
  if (next === undefined || (table !== 'revocations' && isDeepStrictEqual(next, was))) return
  // A revocation that is renewed is told as a new one, which is how routers take it.
  yield { action: was === undefined || table === 'revocations' ? 'Create' : 'Update', model: next }
}

function* deleted({ table, before, after }: RowChange): Generator<DataEventInit> {
  const was = before === undefined ? undefined : describe(table, before as Row)
  if (was !== undefined && (after === undefined || describe(table, after) === undefined)) {
    yield { action: 'Delete', model: was }
  }
}
