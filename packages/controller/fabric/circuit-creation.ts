/**
 * How circuits are made.
 *
 *   reserve an id ▸ pick terminator and path ▸ route to every router of it ▸ all succeed: circuit
 *                        ▲                                            ▸ one fails, or time is up: next attempt
 *                        └────────────────────────────────────────────┘
 *
 * An attempt that fails leaves routers that have set up their part, and such that may still do so: they are told to forget
 * it once the last attempt is over, unless they are on the path that came of it.
 */
import type { Clock } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import type { Circuit, CircuitRequest } from './circuit.ts'
import { type CircuitPurpose, isAllowed } from './circuit-access.ts'
import { CircuitError, isFailureCause } from './circuit-error.ts'
import type { CircuitRemoval } from './circuit-removal.ts'
import type { CircuitTable } from './circuit-table.ts'
import type { ConnectedRouters } from './connected-routers.ts'
import type { NetworkOptions } from './network-options.ts'
import { answeredPeerData, type PeerData, peerDataKeys, peerText, readPeerData } from './peer-data.ts'
import type { Rerouting } from './rerouting.ts'
import { RouteAttempt } from './route-attempt.ts'
import { type RoutedPath, routesAlong } from './route-message.ts'
import type { TerminatorCosts } from './terminator-costs.ts'
import type { TerminatorFaults } from './terminator-faults.ts'
import { type Selection, type SelectionDeps, selectTerminator } from './terminator-selection.ts'

export interface CreationDeps extends SelectionDeps {
  readonly circuits: CircuitTable
  readonly routers: ConnectedRouters
  readonly terminatorCosts: TerminatorCosts
  readonly terminatorFaults: TerminatorFaults
  readonly removal: CircuitRemoval
  readonly rerouting: Pick<Rerouting, 'request' | 'isIntact'>
  readonly newId: () => string
  readonly clock: Clock
  readonly log: Logger
}

export interface CreationLimits {
  /** Circuits that may be in the making, and those of one router; the next one is refused. */
  readonly mostWaiting: number
  readonly mostWaitingPerRouter: number
}

const defaultLimits: CreationLimits = { mostWaiting: 20_000, mostWaitingPerRouter: 5_000 }

interface Making {
  readonly circuitId: string
  readonly request: CircuitRequest
  readonly startedAt: number
  /** Routers that have, or may have, something of the circuit. */
  readonly touched: Set<string>
}

export class CircuitCreation {
  readonly #deps: CreationDeps
  readonly #options: NetworkOptions
  readonly #limits: CreationLimits
  readonly #waitingAt = new Map<string, number>()
  #waiting = 0

  constructor(deps: CreationDeps, options: NetworkOptions, limits: CreationLimits = defaultLimits) {
    this.#deps = deps
    this.#options = options
    this.#limits = limits
  }

  /** Circuits in the making. */
  get waiting(): number {
    return this.#waiting
  }

  /** A circuit, or a CircuitError after everything that was begun is taken back. */
  async create(request: CircuitRequest, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Circuit> {
    const { circuits, clock } = this.#deps
    const { sourceRouterId } = request
    const ofRouter = this.#waitingAt.get(sourceRouterId) ?? 0
    if (this.#waiting >= this.#limits.mostWaiting || ofRouter >= this.#limits.mostWaitingPerRouter) {
      throw new CircuitError('TOO_MANY_REQUESTS', 'too many circuits are being made')
    }
    const circuitId = request.circuitId || this.#deps.newId()
    if (!circuits.reserve(circuitId)) throw new CircuitError('CIRCUIT_ID_IN_USE', `circuit id ${circuitId} is in use`)
    this.#waiting++
    this.#waitingAt.set(sourceRouterId, ofRouter + 1)
    const making = { circuitId, request, startedAt: clock.monotonic(), touched: new Set<string>() }
    try {
      return await this.#make(making, signal)
    } catch (error) {
      this.#deps.removal.unroute(making.touched, circuitId, 'now')
      throw withId(error, circuitId)
    } finally {
      circuits.release(circuitId)
      this.#waiting--
      this.#countDown(sourceRouterId)
    }
  }

  async #make(making: Making, signal: AbortSignal | undefined): Promise<Circuit> {
    const attempts = Math.max(1, this.#options.createCircuitRetries)
    for (let attempt = 0; ; attempt++) {
      const selection = this.#select(making)
      const path = { ...selection.path, ingressId: this.#deps.newId(), egressId: this.#deps.newId() }
      try {
        const peerData = await this.#route(making, selection, path, attempt, signal)
        return this.#finish(making, selection, path, peerData)
      } catch (error) {
        this.#tellFailure(making, error, selection, path)
        const isFinal = !(error instanceof CircuitError) || !isFailureCause(error.code)
        if (isFinal || signal?.aborted === true) throw error
        if (attempt + 1 < attempts) continue
        const said = `circuit ${making.circuitId} could not be made in ${attempts} attempts: ${error.message}`
        throw new CircuitError(error.code, said, { cause: error })
      }
    }
  }

  #select(making: Making): Selection {
    const { view } = this.#deps
    const { serviceId, peerData } = making.request
    try {
      const service = view.get('services', serviceId)
      if (service === undefined) throw new CircuitError('INVALID_SERVICE', `service ${serviceId} does not exist`)
      if (service.encryptionRequired && !peerData.has(peerDataKeys.publicKey)) {
        throw new CircuitError('ENCRYPTION_DATA_MISSING', 'the service demands encryption, the initiator sent no key')
      }
      return selectTerminator(this.#deps, service, making.request)
    } catch (error) {
      this.#tellFailure(making, error)
      throw error
    }
  }

  #route(
    { circuitId, request, touched }: Making,
    selection: Selection,
    path: RoutedPath,
    attempt: number,
    signal: AbortSignal | undefined,
  ): Promise<PeerData> {
    const { terminator } = selection
    const { routeTimeout: timeout } = this.#options
    const context = {
      ...request.context,
      circuitId,
      serviceId: namedService(request),
      attemptNumber: String(attempt + 1),
    }
    const { binding, address: destination } = terminator
    const tags = tagsOf(request, terminator.hostId)
    const details = { circuitId, attempt, binding, destination, peerData: request.peerData, context, timeout, tags }
    const routing = new RouteAttempt(this.#deps, { terminator, strategy: selection.strategy, touched, timeout })
    return routing.run(path.nodes, routesAlong(path, details), signal)
  }

  #finish(making: Making, selection: Selection, path: RoutedPath, answered: PeerData): Circuit {
    const { circuits, terminatorCosts, removal, rerouting, clock } = this.#deps
    const { circuitId, request, touched } = making
    const { terminator, strategy, routeCost } = selection
    const { serviceId, instanceId, clientId, identityId, apiSessionId, sessionId, token } = request
    this.#checkAccess({ identityId, serviceId })
    const peerData = answeredPeerData(readPeerData(terminator.peerData), answered, selection.peerData)
    this.#checkEncryption(serviceId, peerData)
    const now = clock.now()
    const circuit: Circuit = {
      id: circuitId,
      ...{ clientId, identityId, apiSessionId, sessionId, token, serviceId, instanceId },
      terminator,
      routeCost,
      isCounted: strategy.isCounting,
      peerData,
      tags: tagsOf(request, terminator.hostId),
      createdAt: now,
      updatedAt: now,
      path: { ...path, ...addressesIn(request.peerData, answered) },
    }
    circuits.add(circuit)
    if (circuit.isCounted) terminatorCosts.circuitCreated(terminator.id)
    removal.unroute(touched.difference(new Set(path.nodes)), circuitId, 'now')
    circuits.tell({ type: 'created', circuit, creationTimespan: clock.monotonic() - making.startedAt })
    // A link may have gone while its routers were busy with the circuit.
    if (!rerouting.isIntact(path)) rerouting.request(circuitId)
    return circuit
  }

  #checkAccess(purpose: CircuitPurpose): void {
    if (isAllowed(this.#deps, purpose)) return
    throw new CircuitError('ACCESS_ENDED', 'access to the service ended while the circuit was made')
  }

  #checkEncryption(serviceId: string, answered: PeerData): void {
    const service = this.#deps.view.get('services', serviceId)
    if (!service?.encryptionRequired || answered.has(peerDataKeys.publicKey)) return
    throw new CircuitError('ENCRYPTION_DATA_MISSING', 'the service demands encryption, the terminator sent no key')
  }

  #tellFailure(making: Making, error: unknown, selection?: Selection, path?: RoutedPath): void {
    if (!(error instanceof CircuitError) || !isFailureCause(error.code)) return
    const { circuits, clock } = this.#deps
    const { circuitId, request, startedAt } = making
    circuits.tell({
      type: 'failed',
      circuitId,
      request,
      failureCause: error.code,
      creationTimespan: clock.monotonic() - startedAt,
      tags: tagsOf(request, selection?.terminator.hostId),
      ...(path && { path }),
      ...(selection && { terminatorId: selection.terminator.id, routeCost: selection.routeCost }),
    })
  }

  #countDown(routerId: string): void {
    const left = this.#waitingAt.get(routerId)! - 1
    if (left === 0) this.#waitingAt.delete(routerId)
    else this.#waitingAt.set(routerId, left)
  }
}

/** What usage is counted by. */
function tagsOf(request: CircuitRequest, hostId: string | undefined): Readonly<Record<string, string>> {
  const { identityId } = request
  return {
    serviceId: namedService(request),
    ...(identityId !== undefined && { clientId: identityId }),
    ...(hostId !== undefined && { hostId }),
  }
}

function namedService({ instanceId, serviceId }: CircuitRequest): string {
  return instanceId === '' ? serviceId : `${instanceId}@${serviceId}`
}

function addressesIn(initiator: PeerData, terminator: PeerData) {
  return {
    initiatorLocalAddress: peerText(initiator, peerDataKeys.initiatorLocalAddress),
    initiatorRemoteAddress: peerText(initiator, peerDataKeys.initiatorRemoteAddress),
    terminatorLocalAddress: peerText(terminator, peerDataKeys.terminatorLocalAddress),
    terminatorRemoteAddress: peerText(terminator, peerDataKeys.terminatorRemoteAddress),
  }
}

function withId(error: unknown, circuitId: string): unknown {
  if (!(error instanceof CircuitError) || error.circuitId !== undefined) return error
  return new CircuitError(error.code, error.message, { cause: error.cause, circuitId })
}
