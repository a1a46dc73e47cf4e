/**
 * One attempt to have every router of a path set up its part. It is over with the last success, with the first failure, or
 * when the time is up, whatever a connection does that was told to send.
 */
import type { Logger } from '../log/logger.ts'
import type { TableRows } from '../state/row.ts'
import { CircuitError, causeOf, INVALID_TERMINATOR, isHosted } from './circuit-error.ts'
import type { ConnectedRouters } from './connected-routers.ts'
import type { PeerData } from './peer-data.ts'
import type { RouteMessage, RouteResult } from './route-message.ts'
import type { RouterConnection } from './router-connection.ts'
import type { TerminatorCosts } from './terminator-costs.ts'
import type { TerminatorFaults } from './terminator-faults.ts'
import type { Strategy } from './terminator-strategies.ts'

type Terminator = TableRows['terminators']

export interface AttemptDeps {
  readonly routers: ConnectedRouters
  readonly terminatorCosts: TerminatorCosts
  readonly terminatorFaults: TerminatorFaults
  readonly log: Logger
}

export interface AttemptDetails {
  readonly terminator: Terminator
  readonly strategy: Strategy
  /** Gets the routers that have set up their part, and those of which it is not known. */
  readonly touched: Set<string>
  readonly timeout: number
}

interface Refused {
  readonly routerId: string
  readonly code: number
  readonly message: string
}

export class RouteAttempt {
  readonly #deps: AttemptDeps
  readonly #details: AttemptDetails
  #refused: Refused | undefined

  constructor(deps: AttemptDeps, details: AttemptDetails) {
    this.#deps = deps
    this.#details = details
  }

  /** What the last router answered, or a CircuitError. */
  async run(nodes: readonly string[], routes: readonly RouteMessage[], signal?: AbortSignal): Promise<PeerData> {
    const ended = new AbortController()
    const end = () => ended.abort(signal!.reason)
    signal?.throwIfAborted()
    signal?.addEventListener('abort', end, { once: true })
    const timer = setTimeout(() => ended.abort(timeoutOf(routes[0]!.circuitId)), this.#details.timeout)
    try {
      const connections = nodes.map((routerId) => this.#deps.routers.get(routerId)?.connection)
      const sent = nodes.map((routerId, at) => this.#send(routerId, connections[at], routes[at]!, ended.signal))
      const results = await Promise.all(sent)
      for (const [at, routerId] of nodes.entries()) this.#checkProcess(routerId, connections[at]!)
      return results.at(-1)!
    } catch (error) {
      ended.abort(error)
      throw await this.#failure(error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
    }
  }

  async #send(
    routerId: string,
    connection: RouterConnection | undefined,
    route: RouteMessage,
    signal: AbortSignal,
  ): Promise<PeerData> {
    if (connection === undefined) throw generic(`router ${routerId} is no longer connected`)
    this.#details.touched.add(routerId)
    let result: RouteResult
    try {
      result = await raceSignal(connection.sendRoute(route, { signal }), signal)
    } catch (error) {
      if (signal.aborted) throw error
      throw generic(`router ${routerId} cannot be reached`, error)
    }
    if (result.isSuccess) return result.peerData
    const { code, message } = result
    // The first refusal decides; others come too late to be blamed.
    this.#refused ??= { routerId, code, message }
    const cause = causeOf(code, this.#details.terminator.binding)
    throw new CircuitError(cause, `router ${routerId} did not set up circuit ${route.circuitId}: ${message}`)
  }

  /** A router that was started anew while others still worked knows nothing of its part any more. */
  #checkProcess(routerId: string, asked: RouterConnection): void {
    const now = this.#deps.routers.get(routerId)?.connection
    if (now !== undefined && now !== asked && !now.isResumed) throw generic(`router ${routerId} was started anew`)
  }

  /** What follows from a failure for the terminator. */
  async #failure(error: unknown): Promise<unknown> {
    const { terminator, strategy } = this.#details
    const isTimeout = error instanceof CircuitError && error.code === 'ROUTER_RESPONSE_TIMEOUT'
    const isRefused = this.#refused?.routerId === terminator.routerId
    if ((isTimeout || isRefused) && strategy.isCounting) this.#deps.terminatorCosts.dialFailed(terminator.id)
    if (isRefused && this.#refused?.code === INVALID_TERMINATOR) await this.#reportTerminator()
    return error
  }

  async #reportTerminator(): Promise<void> {
    const { terminatorFaults, log } = this.#deps
    const { id, routerId, binding } = this.#details.terminator
    try {
      if (isHosted(binding)) await terminatorFaults.removeInvalid(id, routerId)
      else await terminatorFaults.markFailed(id, routerId)
    } catch (err) {
      log.error('a terminator that does not work stays as it is', { err, terminatorId: id, routerId })
    }
  }
}

/** What a promise gives, unless the signal comes first; nothing is left unhandled then. */
export async function raceSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function timeoutOf(circuitId: string): CircuitError {
  return new CircuitError('ROUTER_RESPONSE_TIMEOUT', `routers took too long to set up circuit ${circuitId}`)
}

function generic(message: string, cause?: unknown): CircuitError {
  return new CircuitError('ROUTER_ERR_GENERIC', message, { cause })
}
