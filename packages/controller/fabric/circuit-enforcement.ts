/**
 * Circuits end when what allowed them ends. What goes as a row takes its circuits with it at once; after a change on which
 * access depends all circuits are looked at, in turns, and changes that come together are answered by one look.
 */
import type { TokenTimes } from '../auth/tokens/token-times.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import type { TableRows } from '../state/row.ts'
import type { RowChange, View } from '../state/view.ts'
import type { Writer } from '../state/writer.ts'
import type { Turns } from '../turns.ts'
import { WantedRounds } from '../wanted-rounds.ts'
import { isEndOf } from './circuit.ts'
import { isAllowed } from './circuit-access.ts'
import type { CircuitRemoval } from './circuit-removal.ts'
import type { CircuitKey, CircuitTable } from './circuit-table.ts'

export interface EnforcementDeps {
  readonly view: View
  readonly writer: Pick<Writer, 'follow'>
  readonly circuits: CircuitTable
  readonly removal: CircuitRemoval
  readonly times: Pick<TokenTimes, 'isOver'>
  readonly clock: Clock
  readonly log: Logger
}

/** As often as routers look for tokens whose time is over. */
const TOKENS_MILLISECONDS = 5_000

/** Tables whose rows circuits cannot do without, and by what their circuits are found. */
const neededRows: Readonly<Record<string, CircuitKey>> = {
  identities: 'identity',
  apiSessions: 'apiSession',
  sessions: 'session',
  services: 'service',
}

/** What a revocation of a type names. The id of a token is that of a session too, where the session is a token. */
const revokedBy: Readonly<Record<string, readonly CircuitKey[]>> = {
  JTI: ['token', 'session'],
  API_SESSION: ['apiSession'],
  IDENTITY: ['identity'],
}

export class CircuitEnforcement implements AsyncDisposable {
  readonly #deps: EnforcementDeps
  readonly #unfollow: () => void
  readonly #rounds: WantedRounds
  readonly #tokenRounds: WantedRounds
  readonly #timer: NodeJS.Timeout

  constructor(deps: EnforcementDeps) {
    this.#deps = deps
    this.#rounds = new WantedRounds(deps, 'looking at circuits', (turns) => this.#lookAtAll(turns))
    this.#tokenRounds = new WantedRounds(deps, 'looking at tokens of circuits', (turns) => this.#endOutdated(turns))
    this.#timer = setInterval(() => this.#tokenRounds.want(), TOKENS_MILLISECONDS).unref()
    this.#unfollow = deps.writer.follow((commits) => {
      for (const { changes } of commits) for (const change of changes) this.#changed(change)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unfollow()
    clearInterval(this.#timer)
    await this.#rounds[Symbol.asyncDispose]()
    await this.#tokenRounds[Symbol.asyncDispose]()
  }

  #changed(change: RowChange): void {
    const { table, id, after } = change
    if (after === undefined) this.#gone(table, id)
    else if (table === 'revocations') this.#revoked((after as TableRows['revocations']).type, id)
    if (mayEndAccess(change)) this.#rounds.want()
  }

  #gone(table: string, id: string): void {
    const { removal } = this.#deps
    const key = neededRows[table]
    if (key !== undefined) removal.removeFound(key, id, { when: 'now', reason: `its ${key} is gone` })
    if (table !== 'routers') return
    removal.removeFound('router', id, { when: 'now', reason: 'an end is gone' }, (circuit) => isEndOf(circuit, id))
  }

  #revoked(type: string, id: string): void {
    for (const key of revokedBy[type] ?? []) {
      this.#deps.removal.removeFound(key, id, { when: 'now', reason: `its ${key} was revoked` })
    }
  }

  async #lookAtAll(turns: Turns): Promise<void> {
    const { circuits, removal } = this.#deps
    for (const circuit of [...circuits.all()]) {
      if (turns.isOver) await turns.next()
      if (isAllowed(this.#deps, circuit)) continue
      removal.remove(circuit.id, { when: 'now', reason: 'access to the service ended' })
    }
  }

  async #endOutdated(turns: Turns): Promise<void> {
    const { circuits, removal, times } = this.#deps
    for (const { id, apiSessionId, token } of [...circuits.all()]) {
      if (turns.isOver) await turns.next()
      if (token === undefined || apiSessionId === undefined || !times.isOver(apiSessionId, token)) continue
      removal.remove(id, { when: 'now', reason: 'its token was not renewed in time' })
    }
  }
}

/** A policy that comes only adds; one that changes or goes may take away, as may other roles and a disabled identity. */
function mayEndAccess({ table, before, after }: RowChange): boolean {
  if (before === undefined) return false
  if (table === 'servicePolicies') return true
  if (table !== 'identities' && table !== 'services') return false
  return after !== undefined && accessFields.some((field) => fieldOf(before, field) !== fieldOf(after, field))
}

const accessFields = ['roleAttributes', 'disabledAt', 'disabledUntil'] as const

function fieldOf(row: unknown, field: string): unknown {
  return (row as Readonly<Record<string, unknown>>)[field]
}
