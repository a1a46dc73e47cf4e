/**
 * Asks a router to compare its copy of the data model with what it should be. With `isFixing` a router whose copy differs
 * takes what it was sent in its place.
 */
import { dataState, type RouterDataModelDiff } from '@weft/wire/messages'
import type { ControlConnection } from '../control-connection.ts'
import type { RouterDataModel } from './router-data-model.ts'

const ANSWER_MILLISECONDS = 60_000

export interface DataModelComparison {
  /** How many there are of each kind, as sent and as the router has them. */
  readonly sent: ReadonlyMap<string, number>
  readonly held: ReadonlyMap<string, number>
  readonly differences: readonly RouterDataModelDiff[]
}

/** Rejects when the router does not answer in time. */
export async function compareDataModel(
  model: Pick<RouterDataModel, 'stateFor'>,
  connection: ControlConnection,
  { isFixing = false, signal }: { readonly isFixing?: boolean; readonly signal?: AbortSignal } = {},
): Promise<DataModelComparison> {
  const { body } = await model.stateFor(connection.routerId)
  const options = { queue: 'low', timeoutMilliseconds: ANSWER_MILLISECONDS, ...(signal && { signal }) }
  const { message } = await connection.request(
    'validateDataState',
    { body: { state: dataState.decode(body), fix: isFixing } },
    options,
  )
  const { origEntityCounts, copyEntityCounts, diffs } = message.body
  return { sent: copyEntityCounts, held: origEntityCounts, differences: diffs }
}
