/**
 * The rows that were written since a scan began.
 *
 * A scan compares a copy of the disk with a present that moves on. A row that was written meanwhile was written whole, from
 * what the controller holds, so what the scan found out about it before no longer matters.
 */
import type { Commit } from '../state/writer.ts'
import { type RowName, rowKey } from './finding.ts'

/** A scan takes seconds; one that is overtaken by this many writes gives up rather than remember them all. */
const mostTouched = 500_000

export class TouchedRows implements Disposable {
  readonly #keys = new Set<string>()
  readonly #leave: () => void

  constructor(writer: { follow(follower: (commits: readonly Commit[]) => void): () => void }) {
    this.#leave = writer.follow((commits) => {
      for (const { changes } of commits) {
        for (const change of changes) if (this.#keys.size <= mostTouched) this.#keys.add(rowKey(change))
      }
    })
  }

  has(row: RowName): boolean {
    return this.#keys.has(rowKey(row))
  }

  get areTooMany(): boolean {
    return this.#keys.size > mostTouched
  }

  [Symbol.dispose](): void {
    this.#leave()
  }
}
