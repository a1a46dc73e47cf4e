/** Restores a snapshot, as the command for it does: nothing else may be using the store. */
import { fileStamp, realName } from './durable-file.ts'
import type { Restored, RestoreSide } from './restore-side.ts'
import { migrations } from './schema.ts'
import { WorkerLink } from './worker-link.ts'

export interface RestoreRequest {
  /** A file that `snapshot` or a migration wrote. */
  readonly snapshot: string
  /** The store to replace, or where there is none yet. */
  readonly file: string
  readonly clock: { now(): number }
}

/**
 * Replaces a store by a snapshot of one and keeps the replaced one as `<file>-replaced-<time>`. The index goes on from
 * the snapshot's, on a new timeline: what followers have seen after it did not happen. Throws a `StoreError` and leaves
 * the store as it was when somebody uses it, or when the snapshot is damaged, from a newer Weft, or no store at all.
 */
export async function restoreSnapshot({ snapshot, file, clock }: RestoreRequest): Promise<Restored> {
  await using link = WorkerLink.start<RestoreSide>('restore')
  return await link.call('restore', {
    snapshot,
    file: realName(file),
    stamp: fileStamp(clock.now()),
    knownVersion: migrations.length,
  })
}
