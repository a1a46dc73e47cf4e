/**
 * What routers are told of each other: who is there, and where it can be dialled. Routers form links by it on their own.
 *
 * Changes are gathered for each router, the newest about a peer counts, and what could not be sent is tried again: a
 * router that has missed one would never dial. They go out in rounds with a pause between them: when all routers come at
 * once, each is told of many in one message, and not of each in one of its own.
 */
import type { ControlMessageInit } from '@weft/wire/messages'
import type { ConnectedRouters, LiveRouter, PresenceEvent } from '../fabric/connected-routers.ts'
import type { Logger } from '../log/logger.ts'
import type { View } from '../state/view.ts'
import type { ControlConnection } from './control-connection.ts'

type PeerStateChange = NonNullable<ControlMessageInit<'peerStateChanges'>['body']['changes']>[number]

const RETRY_MILLISECONDS = 1_000
/** Between two rounds. */
const GATHERING_MILLISECONDS = 100

interface Outbox {
  readonly changes: Map<string, PeerStateChange>
  isSending: boolean
}

export interface PeerStatesDeps {
  readonly view: View
  readonly routers: ConnectedRouters
  readonly log: Logger
}

export class PeerStates implements Disposable {
  readonly #deps: PeerStatesDeps
  readonly #outboxes = new Map<ControlConnection, Outbox>()
  /** Where peers were last told that a router can be dialled: of its other facts they need not know. */
  readonly #told = new Map<string, LiveRouter['linkListeners']>()
  readonly #unfollow: () => void
  #isResting = false
  #isRoundDue = false

  constructor(deps: PeerStatesDeps) {
    this.#deps = deps
    this.#unfollow = deps.routers.follow((event) => this.#presence(event))
  }

  /** Tells a router of all others, those that are gone too: it may have missed what it was told last. */
  repeat(connection: ControlConnection): void {
    for (const { id } of this.#deps.view.rows('routers')) {
      const peer = this.#deps.routers.get(id)
      if (id !== connection.routerId) this.#tell(connection, peer === undefined ? unhealthy(id) : healthy(peer))
    }
  }

  /** The router no longer exists. */
  removed(routerId: string): void {
    this.#tellAll({ id: routerId, state: 'Removed' })
  }

  /** What has not gone out yet, by router. */
  waiting(): readonly { readonly routerId: string; readonly peers: readonly string[]; readonly isSending: boolean }[] {
    return [...this.#outboxes]
      .filter(([, { changes, isSending }]) => isSending || changes.size > 0)
      .map(([{ routerId }, { changes, isSending }]) => ({ routerId, peers: [...changes.keys()], isSending }))
  }

  [Symbol.dispose](): void {
    this.#unfollow()
    this.#outboxes.clear()
  }

  #presence({ type, routerId, router }: PresenceEvent): void {
    const connection = router.connection as ControlConnection
    if (type === 'changed' && this.#told.get(routerId) === router.linkListeners) return
    if (type === 'disconnected') {
      this.#outboxes.delete(connection)
      this.#told.delete(routerId)
      this.#tellAll(unhealthy(routerId))
      return
    }
    if (type === 'connected') {
      const peers = [...this.#deps.routers.all()].filter((peer) => peer.connection !== connection)
      this.#outboxes.set(connection, { changes: new Map(), isSending: false })
      for (const peer of peers) this.#tell(connection, healthy(peer))
    }
    this.#told.set(routerId, router.linkListeners)
    this.#tellAll(healthy(router))
  }

  #tellAll(change: PeerStateChange): void {
    for (const connection of this.#outboxes.keys()) {
      if (connection.routerId !== change.id) this.#tell(connection, change)
    }
  }

  #tell(connection: ControlConnection, change: PeerStateChange): void {
    const outbox = this.#outboxes.get(connection)
    if (outbox === undefined) return
    outbox.changes.set(change.id!, change)
    this.#planRound()
  }

  #planRound(): void {
    if (this.#isRoundDue) return
    this.#isRoundDue = true
    // What happens in this turn goes out in one message; a change after a quiet time does not wait for others.
    if (!this.#isResting) setImmediate(() => this.#sendRound())
  }

  #sendRound(): void {
    this.#isRoundDue = false
    this.#isResting = true
    for (const [connection, outbox] of this.#outboxes) {
      if (outbox.changes.size > 0 && !outbox.isSending) this.#send(connection, outbox)
    }
    setTimeout(() => {
      this.#isResting = false
      if (this.#isRoundDue) this.#sendRound()
    }, GATHERING_MILLISECONDS).unref()
  }

  #send(connection: ControlConnection, outbox: Outbox): void {
    outbox.isSending = true
    const changes = [...outbox.changes.values()]
    outbox.changes.clear()
    connection.send('peerStateChanges', { body: { changes } }).then(
      () => {
        outbox.isSending = false
        if (outbox.changes.size > 0) this.#planRound()
      },
      (err) => {
        if (connection.channel.isClosed || this.#outboxes.get(connection) !== outbox) return
        this.#deps.log.warn('peer states not sent', { router: connection.routerId, err })
        for (const change of changes) if (!outbox.changes.has(change.id!)) outbox.changes.set(change.id!, change)
        setTimeout(() => this.#send(connection, outbox), RETRY_MILLISECONDS).unref()
      },
    )
  }
}

function healthy({ connection, versionInfo, linkListeners }: LiveRouter): PeerStateChange {
  return { id: connection.routerId, version: versionInfo.version, state: 'Healthy', listeners: linkListeners }
}

function unhealthy(id: string): PeerStateChange {
  return { id, state: 'Unhealthy' }
}
