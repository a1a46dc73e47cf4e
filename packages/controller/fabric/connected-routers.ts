/**
 * The routers that are connected, each by one connection.
 *
 * A newer connection takes the place of an older one: the older one is torn down first, as if it had ended, and what it
 * reports or closes afterwards changes nothing.
 */
import type { Clock } from '../clock.ts'
import type { RouterPresence } from '../resources/router-presence.ts'
import { Followers } from './followers.ts'
import type { RouterConnection, RouterFacts } from './router-connection.ts'

/** A connected router: how it is reached, and what it says of itself. */
export interface LiveRouter extends RouterFacts {
  readonly connection: RouterConnection
  /** Milliseconds since the epoch. */
  readonly connectedAt: number
}

export type PresenceEvent = {
  readonly type: 'connected' | 'disconnected' | 'changed'
  readonly routerId: string
  /** As it is now; where it is gone, as it was. */
  readonly router: LiveRouter
}

export interface ConnectedRoutersOptions {
  readonly routerConnectChurnLimit: number
}

interface Slot {
  router: LiveRouter
  readonly since: number
}

export class ConnectedRouters implements RouterPresence {
  readonly #clock: Clock
  readonly #options: ConnectedRoutersOptions
  readonly #slots = new Map<string, Slot>()
  readonly #followers = new Followers<PresenceEvent>()

  constructor({ clock }: { readonly clock: Clock }, options: ConnectedRoutersOptions) {
    this.#clock = clock
    this.#options = options
  }

  get size(): number {
    return this.#slots.size
  }

  get(routerId: string): LiveRouter | undefined {
    return this.#slots.get(routerId)?.router
  }

  /** What the resources show of a router. */
  connected(routerId: string): LiveRouter | undefined {
    return this.get(routerId)
  }

  isOnline(routerId: string): boolean {
    return this.#slots.has(routerId)
  }

  isCurrent(connection: RouterConnection): boolean {
    return this.#slots.get(connection.routerId)?.router.connection === connection
  }

  all(): IteratorObject<LiveRouter> {
    return this.#slots.values().map(({ router }) => router)
  }

  /** Whether the connection that a router has is still too young to be replaced. */
  isChurning(routerId: string): boolean {
    const slot = this.#slots.get(routerId)
    return slot !== undefined && this.#clock.monotonic() - slot.since < this.#options.routerConnectChurnLimit
  }

  /** From now on the router is reached by this connection. */
  connect(connection: RouterConnection, facts: RouterFacts): LiveRouter {
    const { routerId } = connection
    const older = this.#slots.get(routerId)?.router.connection
    if (older === connection) throw new Error(`router ${routerId} is connected by this connection already`)
    if (older !== undefined) {
      this.disconnect(older)
      older.close('a newer connection of the router takes its place')
    }
    const router = { ...facts, connection, connectedAt: this.#clock.now() }
    this.#slots.set(routerId, { router, since: this.#clock.monotonic() })
    this.#followers.tell({ type: 'connected', routerId, router })
    return router
  }

  /** Has no effect for a connection that was replaced, and none the second time; answers whether it had one. */
  disconnect(connection: RouterConnection): boolean {
    if (!this.isCurrent(connection)) return false
    const { routerId } = connection
    const { router } = this.#slots.get(routerId)!
    this.#slots.delete(routerId)
    this.#followers.tell({ type: 'disconnected', routerId, router })
    return true
  }

  /** Has no effect for a connection that was replaced; answers whether it had one. */
  update(connection: RouterConnection, facts: Partial<RouterFacts>): boolean {
    if (!this.isCurrent(connection)) return false
    const { routerId } = connection
    const slot = this.#slots.get(routerId)!
    slot.router = { ...slot.router, ...facts }
    this.#followers.tell({ type: 'changed', routerId, router: slot.router })
    return true
  }

  follow(follower: (event: PresenceEvent) => void): () => void {
    return this.#followers.add(follower)
  }
}
