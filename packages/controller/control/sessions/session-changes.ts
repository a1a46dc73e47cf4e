/** From commits to what routers are told of sessions: which came, which changed, which went. */
import type { OutgoingMessage } from '@weft/wire'
import { controlMessages } from '@weft/wire/messages'
import type { TableRows } from '../../state/row.ts'
import type { RowChange, View } from '../../state/view.ts'
import type { Commit } from '../../state/writer.ts'
import { isComplete, sessionRecord } from './session-record.ts'
import { SYNC_STRATEGY, type SyncIds, syncState } from './sync-state.ts'

/** A row as it was or is, if it was or is. */
type Was<T extends keyof TableRows> = TableRows[T] | undefined

/** In one message. */
export const MOST_API_SESSIONS = 100
const MOST_REMOVED = 1_000

/** What happened to sessions in some commits. */
export class SessionChanges {
  readonly #view: View
  readonly #added = new Set<string>()
  readonly #updated = new Set<string>()
  readonly #removedTokens: string[] = []
  readonly #removedSessions: string[] = []

  /** `now` is the state after the commits. */
  constructor(commits: readonly Commit[], now: View) {
    this.#view = now
    for (const { changes } of commits) for (const change of changes) this.#take(change)
  }

  /** The messages that tell it, each for all routers. */
  *messages(ids: SyncIds): Generator<OutgoingMessage> {
    const strategy = SYNC_STRATEGY
    for (const apiSessions of this.#records(this.#added)) {
      const state = syncState({ id: ids.next(), sequence: 0, isLast: true })
      yield controlMessages.encode('apiSessionAdded', { strategy, state, body: { isFullState: false, apiSessions } })
    }
    for (const apiSessions of this.#records(this.#updated.difference(this.#added))) {
      yield controlMessages.encode('apiSessionUpdated', { strategy, state: '', body: { apiSessions } })
    }
    for (const tokens of chunks(this.#removedTokens, MOST_REMOVED)) {
      yield controlMessages.encode('apiSessionRemoved', { body: { tokens } })
    }
    for (const removed of chunks(this.#removedSessions, MOST_REMOVED)) {
      yield controlMessages.encode('sessionRemoved', { body: { tokens: removed, ids: removed } })
    }
  }

  #take({ table, id, before, after }: RowChange): void {
    if (table === 'apiSessions') this.#apiSession(before as Was<'apiSessions'>, after as Was<'apiSessions'>)
    else if (table === 'authenticators') this.#authenticator(before as Was<typeof table>, after as Was<typeof table>)
    else if (table === 'sessions' && after === undefined) this.#removedSessions.push(id)
    else if (table === 'apiSessionCertificates') {
      this.#updated.add(((after ?? before) as TableRows[typeof table]).apiSessionId)
    }
  }

  #apiSession(before: Was<'apiSessions'>, after: Was<'apiSessions'>): void {
    if (after === undefined) this.#removedTokens.push(before!.token)
    else if (before === undefined || before.isMfaComplete !== after.isMfaComplete) this.#added.add(after.id)
  }

  /** Another certificate of an identity is good for each of its sessions. */
  #authenticator(before: Was<'authenticators'>, after: Was<'authenticators'>): void {
    if (before?.certFingerprint === after?.certFingerprint) return
    const { identityId } = (after ?? before)!
    for (const { id } of this.#view.find('apiSessions', 'identityId', identityId)) this.#updated.add(id)
  }

  /** Those that are there and complete, some at a time. */
  *#records(ids: ReadonlySet<string>) {
    const sessions = [...ids].flatMap((id) => this.#view.get('apiSessions', id) ?? [])
    const complete = sessions.filter((session) => isComplete(this.#view, session))
    for (const some of chunks(complete, MOST_API_SESSIONS)) {
      yield some.map((session) => sessionRecord(this.#view, session))
    }
  }
}

function* chunks<T>(all: readonly T[], most: number): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += most) yield all.slice(start, start + most)
}
