/**
 * Tells controllers which identities are connected to this router. Everything is told when a channel begins and now and
 * then again, so that a controller that has missed something is put right.
 */
import type { IdentityConnectEvents } from '@weft/wire/messages'
import type { ControllerConnection } from '../control/controller-connection.ts'

export interface ConnectEventsDeps {
  readonly controllers: () => Iterable<ControllerConnection>
  /** Everyone who is connected. */
  readonly connected: () => readonly IdentityConnectEvents[]
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export interface ConnectEventsOptions {
  /** Milliseconds. */
  readonly batchInterval: number
  readonly fullSyncInterval: number
}

export class ConnectEvents implements Disposable {
  readonly #deps: ConnectEventsDeps
  readonly #options: ConnectEventsOptions
  readonly #first = new Set<NodeJS.Timeout>()
  #timer: NodeJS.Timeout | undefined
  #toldAt: number | undefined

  constructor(deps: ConnectEventsDeps, options: ConnectEventsOptions) {
    this.#deps = deps
    this.#options = options
  }

  start(): this {
    this.#timer ??= setInterval(() => {
      for (const controller of this.#deps.controllers()) this.#tellAll(controller)
    }, this.#options.fullSyncInterval).unref()
    return this
  }

  /** A controller that has just connected hears of everyone soon. */
  add(controller: ControllerConnection): void {
    const timer = setTimeout(() => {
      this.#first.delete(timer)
      if (controller.isConnected) this.#tellAll(controller)
    }, this.#options.batchInterval).unref()
    this.#first.add(timer)
  }

  /** When everyone was told last, in milliseconds since 1970; undefined for never. */
  get toldAt(): number | undefined {
    return this.#toldAt
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    for (const timer of this.#first) clearTimeout(timer)
  }

  #tellAll(controller: ControllerConnection): void {
    this.#toldAt = this.#deps.now()
    controller.tell('connectEvents', { body: { events: this.#deps.connected(), fullState: true } })
  }
}
