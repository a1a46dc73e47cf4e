/**
 * Keeps a channel with one controller: dials its addresses in turn until one answers, waits for the end of the channel,
 * and starts again. It never gives up by itself. While the controller is connected because it has dialled the router, there
 * is nothing to do.
 *
 * A channel that has lost all its connections has ended: what follows is a new one, with a new hello. So whatever the
 * controller has to be told after a loss is told in one place, when a channel begins.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { WireLog } from '@weft/wire'
import type { KnownController } from '../config/endpoints-file.ts'
import type { ControllerConnection } from './controller-connection.ts'
import { DialBackoff } from './dial-backoff.ts'

export interface ControllerDialerDeps {
  /** Makes a channel, or rejects; settles soon when the signal fires. */
  readonly connect: (address: string, signal: AbortSignal) => Promise<ControllerConnection>
  /** Called for each new channel; false when it is not wanted, for good. */
  readonly connected: (connection: ControllerConnection, from: ControllerDialer) => boolean
  readonly disconnected: (connection: ControllerConnection) => void
  /** The channel that a controller of that id has dialled, if there is one. */
  readonly incoming: (controllerId: string) => ControllerConnection | undefined
  readonly log: WireLog
  readonly monotonic: () => number
}

/** A channel that lived shorter counts as another failure. */
const minStable = 5_000

export class ControllerDialer implements AsyncDisposable {
  readonly #deps: ControllerDialerDeps
  readonly #abort = new AbortController()
  readonly #backoff = new DialBackoff()
  #known: KnownController
  #turn = 0
  #connection: ControllerConnection | undefined
  #running: Promise<void> | undefined
  #suspension: PromiseWithResolvers<void> | undefined

  constructor(known: KnownController, deps: ControllerDialerDeps) {
    this.#known = known
    this.#deps = deps
  }

  /** Its id is empty as long as no one has told. */
  get known(): KnownController {
    return this.#known
  }

  get connection(): ControllerConnection | undefined {
    return this.#connection
  }

  start(): this {
    this.#running ??= this.#run()
    return this
  }

  /** Other facts about the same controller, from the next dial on. */
  update(known: KnownController): void {
    this.#known = known
  }

  /** Cuts the channel, and dials no more until it may. */
  suspend(): void {
    this.#suspension ??= Promise.withResolvers<void>()
    this.#connection?.close('suspended')
  }

  resume(): void {
    this.#suspension?.resolve()
    this.#suspension = undefined
    this.#backoff.reset()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
    this.resume()
    this.#connection?.close('no longer wanted')
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort
    while (!signal.aborted) {
      await this.#suspension?.promise
      if (signal.aborted) return
      const isLasting = (await this.#incomingEnds(signal)) || (await this.#serve(signal))
      if (isLasting) this.#backoff.reset()
      await sleep(this.#backoff.next(), undefined, { signal }).catch(() => {})
    }
  }

  /** Waits for the end of a channel that the controller has dialled; false when there is none. */
  async #incomingEnds(signal: AbortSignal): Promise<boolean> {
    const incoming = this.#deps.incoming(this.#known.id)
    if (incoming === undefined) return false
    const aborted = Promise.withResolvers<void>()
    const abort = () => aborted.resolve()
    signal.addEventListener('abort', abort, { once: true })
    await Promise.race([incoming.channel.closed, aborted.promise])
    signal.removeEventListener('abort', abort)
    return true
  }

  /** One channel from its dial to its end; whether it lasted. */
  async #serve(signal: AbortSignal): Promise<boolean> {
    const { connect, connected, disconnected, log, monotonic } = this.#deps
    const { endpoints } = this.#known
    const address = endpoints[this.#turn % endpoints.length]?.address.text
    if (address === undefined) return false
    let connection: ControllerConnection
    try {
      connection = await connect(address, signal)
    } catch (err) {
      this.#turn++
      if (!signal.aborted) log.debug('controller not reached', { address, err })
      return false
    }
    const since = monotonic()
    this.#connection = connection
    if (signal.aborted || !connected(connection, this)) connection.close('not wanted')
    const closing = await connection.channel.closed
    this.#connection = undefined
    log.info('control channel ended', { controller: connection.controllerId, reason: closing.reason })
    disconnected(connection)
    return monotonic() - since >= minStable
  }
}
