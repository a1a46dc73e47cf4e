/**
 * Terminators end when what allowed them ends: the session or token of their host, its identity, or the policy by which it
 * may host the service. Circuits to them end as well. Routers end both too, by what they know; here they go in any case, so
 * that nobody is sent to a host that has lost its right.
 *
 * By which session a terminator is hosted stands in its row. What has ended while no controller ran is found at the start.
 */
import { mayAccess } from '@weft/model'
import { isDisabled } from '../../auth/disabled.ts'
import type { TokenTimes } from '../../auth/tokens/token-times.ts'
import { identityCutOff } from '../../auth/tokens/token-verifier.ts'
import type { Clock } from '../../clock.ts'
import type { CircuitRemoval } from '../../fabric/circuit-removal.ts'
import type { Logger } from '../../log/logger.ts'
import { accessView } from '../../policies/access-view.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import type { HostSession } from '../../resources/terminators.ts'
import type { TableRows } from '../../state/row.ts'
import type { RowChange, View } from '../../state/view.ts'
import type { Writer } from '../../state/writer.ts'
import type { Turns } from '../../turns.ts'
import { WantedRounds } from '../../wanted-rounds.ts'

export interface HostSessionsDeps {
  readonly kit: Pick<Kit, 'view' | 'writeAsController'>
  readonly writer: Pick<Writer, 'follow'>
  readonly times: Pick<TokenTimes, 'isOver'>
  readonly removal: Pick<CircuitRemoval, 'removeFound'>
  readonly clock: Clock
  readonly log: Logger
}

type Terminator = TableRows['terminators']
type Host = HostSession & { readonly identityId: string }

/** Removed in one change. */
const MOST_REMOVED = 500
/** As often as routers look for tokens whose time is over. */
const TOKENS_MILLISECONDS = 5_000
/** After a change that could not be written: the next look finds what is left. */
const RETRY_MILLISECONDS = 1_000

export class HostSessions implements AsyncDisposable {
  readonly #deps: HostSessionsDeps
  readonly #unfollow: () => void
  readonly #rounds: WantedRounds
  readonly #tokenRounds: WantedRounds
  readonly #timer: NodeJS.Timeout
  /** By terminator. */
  readonly #hosts = new Map<string, Host>()
  /** By what they depend on: terminators. */
  readonly #dependents = new Map<string, Set<string>>()

  private constructor(deps: HostSessionsDeps) {
    this.#deps = deps
    this.#rounds = new WantedRounds(deps, 'looking at terminators', (turns) => this.#lookAtAll(turns))
    this.#tokenRounds = new WantedRounds(deps, 'looking at tokens of hosts', (turns) => this.#endOutdated(turns))
    for (const terminator of deps.kit.view.rows('terminators')) this.#note(terminator)
    this.#unfollow = deps.writer.follow((commits) => {
      for (const { changes } of commits) for (const change of changes) this.#changed(change)
    })
    this.#timer = setInterval(() => this.#tokenRounds.want(), TOKENS_MILLISECONDS).unref()
  }

  static start(deps: HostSessionsDeps): HostSessions {
    const sessions = new HostSessions(deps)
    sessions.#rounds.want()
    return sessions
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unfollow()
    clearInterval(this.#timer)
    await this.#rounds[Symbol.asyncDispose]()
    await this.#tokenRounds[Symbol.asyncDispose]()
  }

  #changed(change: RowChange): void {
    const { table, id, after } = change
    if (table === 'terminators') this.#forget(id)
    if (table === 'terminators' && after !== undefined) this.#note(after as Terminator)
    else if (table === 'apiSessions' && after === undefined) this.#ended(`apiSession ${id}`)
    else if (table === 'sessions' && after === undefined) this.#ended(`session ${id}`)
    else if (table === 'revocations' && after !== undefined) {
      const keys = revoked[(after as TableRows['revocations']).type] ?? []
      for (const key of keys) this.#ended(`${key} ${id}`)
    }
    if (mayEndHosting(change)) this.#rounds.want()
  }

  #ended(key: string): void {
    const ids = this.#dependents.get(key)
    if (ids !== undefined) this.#remove([...ids], 'the session of their host has ended')
  }

  #note({ id, hostId: identityId, hostSession }: Terminator): void {
    // Rows of an earlier version do not have it.
    if (!hostSession) return
    const host = { ...hostSession, identityId }
    this.#hosts.set(id, host)
    for (const key of keysOf(host)) {
      const dependents = this.#dependents.get(key)
      if (dependents === undefined) this.#dependents.set(key, new Set([id]))
      else dependents.add(id)
    }
  }

  #forget(terminatorId: string): void {
    const host = this.#hosts.get(terminatorId)
    if (host === undefined) return
    this.#hosts.delete(terminatorId)
    for (const key of keysOf(host)) {
      const dependents = this.#dependents.get(key)!
      dependents.delete(terminatorId)
      if (dependents.size === 0) this.#dependents.delete(key)
    }
  }

  #remove(ids: readonly string[], reason: string): void {
    const { kit, removal, log } = this.#deps
    log.info('terminators are removed', { count: ids.length, reason })
    for (let start = 0; start < ids.length; start += MOST_REMOVED) {
      const some = ids.slice(start, start + MOST_REMOVED)
      kit
        .writeAsController((change) => {
          for (const id of some) if (change.view.get('terminators', id)) change.remove('terminators', id)
        })
        .then(() => {
          for (const id of some) removal.removeFound('terminator', id, { when: 'now', reason: 'its host may not host' })
        })
        .catch((err) => {
          log.error('terminators not removed', { reason, err })
          setTimeout(() => this.#rounds.want(), RETRY_MILLISECONDS).unref()
        })
    }
  }

  async #lookAtAll(turns: Turns): Promise<void> {
    const { kit, clock } = this.#deps
    const lost: string[] = []
    for (const terminator of [...kit.view.rows('terminators')]) {
      if (turns.isOver) await turns.next()
      if (!mayHost(kit.view, terminator, clock.now())) lost.push(terminator.id)
    }
    if (lost.length > 0) this.#remove(lost, 'their host may no longer host the service')
  }

  async #endOutdated(turns: Turns): Promise<void> {
    const lost: string[] = []
    for (const [id, { apiSessionId, token }] of [...this.#hosts]) {
      if (turns.isOver) await turns.next()
      if (token !== undefined && this.#deps.times.isOver(apiSessionId, token)) lost.push(id)
    }
    if (lost.length > 0) this.#remove(lost, 'the token of their host was not renewed in time')
  }
}

function keysOf({ sessionId, apiSessionId, identityId, token }: Host): readonly string[] {
  const keys = [`session ${sessionId}`, `apiSession ${apiSessionId}`, `identity ${identityId}`]
  return token === undefined ? keys : [...keys, `token ${token.id}`]
}

/** What a revocation of a type names. */
const revoked: Readonly<Record<string, readonly string[]>> = {
  JTI: ['token', 'session'],
  API_SESSION: ['apiSession'],
  IDENTITY: ['identity'],
}

/** Those that are hosted for an identity; what an administrator has made is his to remove. */
function mayHost(view: View, { binding, hostId, serviceId, isSystem, hostSession }: Terminator, now: number): boolean {
  if (!isSystem || (binding !== 'edge' && binding !== 'tunnel')) return true
  const identity = view.get('identities', hostId)
  if (identity === undefined || isDisabled(identity, now)) return false
  if (hostSession && hasEnded(view, { ...hostSession, identityId: hostId })) return false
  return mayAccess(accessView(view), hostId, serviceId, 'Bind')
}

function hasEnded(view: View, { sessionId, apiSessionId, identityId, token }: Host): boolean {
  if (token === undefined) {
    return view.get('apiSessions', apiSessionId) === undefined || view.get('sessions', sessionId) === undefined
  }
  if ([token.id, sessionId, apiSessionId].some((id) => view.get('revocations', id) !== undefined)) return true
  const cutOff = identityCutOff(view, identityId)
  return cutOff !== undefined && token.issuedAt <= cutOff
}

/** A policy that comes only adds; one that changes or goes may take away, as may other roles and a disabled identity. */
function mayEndHosting({ table, before, after }: RowChange): boolean {
  if (before === undefined) return false
  if (table === 'servicePolicies') return true
  if (table === 'identities' && after === undefined) return true
  if (table !== 'identities' && table !== 'services') return false
  return after !== undefined && accessFields.some((field) => fieldOf(before, field) !== fieldOf(after, field))
}

const accessFields = ['roleAttributes', 'disabledAt', 'disabledUntil'] as const

function fieldOf(row: unknown, field: string): unknown {
  return (row as Readonly<Record<string, unknown>>)[field]
}
