/**
 * At which routers identities are connected, as the routers report it.
 *
 * While a router's channel is down nobody knows: who is connected there alone is `unknown`, and counts as offline when the
 * router stays away. When it comes back it reports everybody again.
 */
import type { Clock } from '../clock.ts'
import type { Presence } from '../resources/identities.ts'
import type { ConnectedRouters } from './connected-routers.ts'
import { Followers } from './followers.ts'
import type { RouterConnection } from './router-connection.ts'

export type ConnectionStatus = ReturnType<Presence['connectionStatus']>

export interface ConnectReport {
  readonly connected: Iterable<string>
  readonly disconnected: Iterable<string>
  /** Whether nobody else is connected. */
  readonly isFullState: boolean
}

export interface StatusEvent {
  readonly identityId: string
  readonly status: ConnectionStatus
}

export interface IdentityConnectionsOptions {
  /** Milliseconds after the loss of its router during which an identity is unknown rather than offline. */
  readonly unknownTimeout: number
}

export interface IdentityConnectionsDeps {
  readonly routers: ConnectedRouters
  readonly clock: Pick<Clock, 'monotonic'>
}

/** At one router; further ones are not noted. */
const MOST_IDENTITIES = 1_000_000

interface Place {
  readonly identities: Set<string>
  /** When its channel was lost, while it is. */
  lostAt: number | undefined
}

export class IdentityConnections implements Presence {
  readonly #deps: IdentityConnectionsDeps
  readonly #options: IdentityConnectionsOptions
  /** By router. */
  readonly #places = new Map<string, Place>()
  /** By identity: its routers. */
  readonly #routersOf = new Map<string, Set<string>>()
  /** Routers that are connected and identities themselves. */
  readonly #tunnelers = new Set<string>()
  readonly #followers = new Followers<StatusEvent>()

  constructor(deps: IdentityConnectionsDeps, options: IdentityConnectionsOptions) {
    this.#deps = deps
    this.#options = options
    deps.routers.follow(({ type, routerId }) => {
      if (type === 'disconnected') this.#lost(routerId)
    })
  }

  connectionStatus(identityId: string): ConnectionStatus {
    if (this.#tunnelers.has(identityId)) return 'online'
    const routers = this.#routersOf.get(identityId)
    if (routers === undefined) return 'offline'
    for (const id of routers) if (this.#places.get(id)!.lostAt === undefined) return 'online'
    return 'unknown'
  }

  /** Those who are at a router, or were when it was lost. */
  known(): IteratorObject<string> {
    return this.#routersOf.keys()
  }

  /** The routers at which an identity is, or was when they were lost. */
  routersOf(identityId: string): readonly string[] {
    return [...(this.#routersOf.get(identityId) ?? [])]
  }

  /** Of identities that exist: what a router says of others would be kept for nobody. */
  report(connection: RouterConnection, { connected, disconnected, isFullState }: ConnectReport): void {
    if (!this.#deps.routers.isCurrent(connection)) return
    const { routerId } = connection
    const place = this.#placeOf(routerId)
    const present = new Set(connected)
    const gone = new Set(isFullState ? place.identities : disconnected).difference(present)
    for (const id of gone) this.#leave(id, routerId)
    this.#tellChanges(place, () => {
      place.lostAt = undefined
    })
    for (const id of present) this.#enter(id, routerId)
    if (place.identities.size === 0) this.#places.delete(routerId)
  }

  /** A router that is a tunneler is an identity too, there as long as it is connected. */
  setTunneler(routerId: string, isTunneler: boolean): void {
    const before = this.connectionStatus(routerId)
    if (isTunneler && this.#deps.routers.isOnline(routerId)) this.#tunnelers.add(routerId)
    else this.#tunnelers.delete(routerId)
    this.#tellIfChanged(routerId, before)
  }

  /** Forgets an identity that is gone. */
  forget(identityId: string): void {
    for (const id of this.#routersOf.get(identityId) ?? []) this.#places.get(id)!.identities.delete(identityId)
    this.#routersOf.delete(identityId)
    this.#tunnelers.delete(identityId)
  }

  /** To be called now and then: routers that stayed away too long take their identities with them. */
  endUnknown(): void {
    const since = this.#deps.clock.monotonic() - this.#options.unknownTimeout
    for (const [routerId, { identities, lostAt }] of this.#places) {
      if (lostAt === undefined || lostAt > since) continue
      for (const id of [...identities]) this.#leave(id, routerId)
      this.#places.delete(routerId)
    }
  }

  follow(follower: (event: StatusEvent) => void): () => void {
    return this.#followers.add(follower)
  }

  #lost(routerId: string): void {
    this.setTunneler(routerId, false)
    const place = this.#places.get(routerId)
    if (place === undefined) return
    this.#tellChanges(place, () => {
      place.lostAt = this.#deps.clock.monotonic()
    })
  }

  #tellChanges({ identities }: Place, change: () => void): void {
    const before = [...identities].map((id) => [id, this.connectionStatus(id)] as const)
    change()
    for (const [id, status] of before) this.#tellIfChanged(id, status)
  }

  #enter(identityId: string, routerId: string): void {
    const place = this.#placeOf(routerId)
    if (place.identities.has(identityId) || place.identities.size >= MOST_IDENTITIES) return
    const before = this.connectionStatus(identityId)
    place.identities.add(identityId)
    const routers = this.#routersOf.get(identityId)
    if (routers === undefined) this.#routersOf.set(identityId, new Set([routerId]))
    else routers.add(routerId)
    this.#tellIfChanged(identityId, before)
  }

  #leave(identityId: string, routerId: string): void {
    const place = this.#places.get(routerId)
    if (place?.identities.has(identityId) !== true) return
    const before = this.connectionStatus(identityId)
    place.identities.delete(identityId)
    const routers = this.#routersOf.get(identityId)!
    routers.delete(routerId)
    if (routers.size === 0) this.#routersOf.delete(identityId)
    this.#tellIfChanged(identityId, before)
  }

  #tellIfChanged(identityId: string, before: ConnectionStatus): void {
    const status = this.connectionStatus(identityId)
    if (status !== before) this.#followers.tell({ identityId, status })
  }

  #placeOf(routerId: string): Place {
    let place = this.#places.get(routerId)
    if (place === undefined) {
      place = { identities: new Set(), lostAt: undefined }
      this.#places.set(routerId, place)
    }
    return place
  }
}
