/** Snapshots of the database, and whether what it holds is sound. For administrators. */

import { type Snapshots, SnapshotTooSoonError } from '../../core/snapshots.ts'
import type { IntegrityRuns, RunKind } from '../../integrity/integrity-runs.ts'
import { ApiError, refusal } from '../../operation/api-error.ts'
import { accepted, answerData, empty } from '../../operation/envelope.ts'
import type { Answer, Operation } from '../../operation/operation.ts'
import { SnapshotError } from '../../store/snapshot-error.ts'

export interface DatabaseDeps {
  readonly snapshots: Pick<Snapshots, 'take'>
  readonly integrity: Pick<IntegrityRuns, 'start' | 'report'>
}

export function databaseOperations({ snapshots, integrity }: DatabaseDeps): Operation[] {
  const run = (kind: RunKind): Answer => {
    if (!integrity.start(kind)) throw new ApiError('RATE_LIMITED')
    return accepted
  }
  return [
    {
      operationId: 'createDatabaseSnapshot',
      method: 'POST',
      path: '/database/snapshot',
      access: 'admin',
      async handle() {
        await takeSnapshot(snapshots)
        return empty
      },
    },
    {
      operationId: 'checkDataIntegrity',
      method: 'POST',
      path: '/database/check-data-integrity',
      access: 'admin',
      status: 202,
      handle: () => run('check'),
    },
    {
      operationId: 'fixDataIntegrity',
      method: 'POST',
      path: '/database/fix-data-integrity',
      access: 'admin',
      status: 202,
      handle: () => run('fix'),
    },
    {
      operationId: 'dataIntegrityResults',
      method: 'GET',
      path: '/database/data-integrity-results',
      access: 'admin',
      handle: () => results(integrity),
    },
  ]
}

/** Takes a snapshot for a caller, at the place the caller wants if that can be; answers where it lies. */
export async function takeSnapshot(snapshots: Pick<Snapshots, 'take'>, wanted?: string): Promise<string> {
  try {
    return await snapshots.take(wanted)
  } catch (error) {
    if (error instanceof SnapshotTooSoonError) throw new ApiError('RATE_LIMITED', { origin: error })
    if (error instanceof SnapshotError) throw refusal('UNHANDLED', error.message)
    throw error
  }
}

/** Where there is nothing to report the results are null, which clients tell from an empty list. */
function results({ report }: Pick<IntegrityRuns, 'report'>): Answer {
  const { length } = report.results
  const meta = { pagination: { limit: -1, offset: 0, totalCount: length } }
  return answerData({ ...report, results: length === 0 ? null : report.results }, meta)
}
