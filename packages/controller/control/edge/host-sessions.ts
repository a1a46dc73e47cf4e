/**
 * Terminators end when what allowed them ends: the session or token of their host, its identity, or the policy by which it
 * may host the service. Routers end them too, by what they know; here they go in any case, so that nobody is sent to a host
 * that has lost its right.
 *
 * By which session a terminator was made is known for those made while this process runs. Of others the session's end is
 * left to their router.
 */
import { mayAccess } from '@weft/model'
import { isDisabled } from '../../auth/disabled.ts'
import type { Clock } from '../../clock.ts'
import type { Logger } from '../../log/logger.ts'
import { accessView } from '../../policies/access-view.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import type { TableRows } from '../../state/row.ts'
import type { RowChange, View } from '../../state/view.ts'
import type { Writer } from '../../state/writer.ts'
import type { Turns } from '../../turns.ts'
import { WantedRounds } from '../../wanted-rounds.ts'
import type { ClientSession } from './client-tokens.ts'

export interface HostSessionsDeps {
  readonly kit: Kit
  readonly writer: Pick<Writer, 'follow'>
  readonly clock: Clock
  readonly log: Logger
}

type Terminator = TableRows['terminators']
type Host = Pick<ClientSession, 'sessionId' | 'apiSessionId' | 'identityId' | 'tokenId'>

/** Removed in one change. */
const MOST_REMOVED = 500

export class HostSessions implements AsyncDisposable {
  readonly #deps: HostSessionsDeps
  readonly #unfollow: () => void
  readonly #rounds: WantedRounds
  /** By terminator. */
  readonly #hosts = new Map<string, Host>()
  /** By what they depend on: terminators. */
  readonly #dependents = new Map<string, Set<string>>()

  constructor(deps: HostSessionsDeps) {
    this.#deps = deps
    this.#rounds = new WantedRounds(deps, 'looking at terminators', (turns) => this.#lookAtAll(turns))
    this.#unfollow = deps.writer.follow((commits) => {
      for (const { changes } of commits) for (const change of changes) this.#changed(change)
    })
  }

  /** By which session a terminator is hosted now. */
  hosts(terminatorId: string, host: Host): void {
    this.#forget(terminatorId)
    // It may have gone while it was being written.
    if (this.#deps.kit.view.get('terminators', terminatorId) === undefined) return
    this.#hosts.set(terminatorId, host)
    for (const key of keysOf(host)) {
      const dependents = this.#dependents.get(key)
      if (dependents === undefined) this.#dependents.set(key, new Set([terminatorId]))
      else dependents.add(terminatorId)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unfollow()
    await this.#rounds[Symbol.asyncDispose]()
  }

  #changed(change: RowChange): void {
    const { table, id, after } = change
    if (table === 'terminators' && after === undefined) this.#forget(id)
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
    const { kit, log } = this.#deps
    log.info('terminators are removed', { count: ids.length, reason })
    for (let start = 0; start < ids.length; start += MOST_REMOVED) {
      const some = ids.slice(start, start + MOST_REMOVED)
      kit
        .writeAsController((change) => {
          for (const id of some) if (change.view.get('terminators', id)) change.remove('terminators', id)
        })
        .catch((err) => log.error('terminators not removed', { reason, err }))
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
}

function keysOf({ sessionId, apiSessionId, identityId, tokenId }: Host): readonly string[] {
  const keys = [`session ${sessionId}`, `apiSession ${apiSessionId}`, `identity ${identityId}`]
  return tokenId === undefined ? keys : [...keys, `token ${tokenId}`]
}

/** What a revocation of a type names. */
const revoked: Readonly<Record<string, readonly string[]>> = {
  JTI: ['token', 'session'],
  API_SESSION: ['apiSession'],
  IDENTITY: ['identity'],
}

/** Those that are hosted for an identity; what an administrator has made is his to remove. */
function mayHost(view: View, { binding, hostId, serviceId, isSystem }: Terminator, now: number): boolean {
  if (!isSystem || (binding !== 'edge' && binding !== 'tunnel')) return true
  const identity = view.get('identities', hostId)
  if (identity === undefined || isDisabled(identity, now)) return false
  return mayAccess(accessView(view), hostId, serviceId, 'Bind')
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
