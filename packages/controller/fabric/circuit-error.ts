/**
 * Why a circuit could not be made. The codes are the failure causes of circuit events; the three that are not end a request
 * before or beside the search for a path, and have no event.
 */
export const circuitFailureCauses = [
  'INVALID_SERVICE',
  'ID_GENERATION_ERR',
  'NO_TERMINATORS',
  'NO_ONLINE_TERMINATORS',
  'NO_PATH',
  'PATH_MISSING_LINK',
  'INVALID_STRATEGY',
  'STRATEGY_ERR',
  'ROUTER_RESPONSE_TIMEOUT',
  'ROUTER_ERR_GENERIC',
  'ROUTER_ERR_INVALID_TERMINATOR',
  'ROUTER_ERR_MISCONFIGURED_TERMINATOR',
  'ROUTER_ERR_DIAL_TIMED_OUT',
  'ROUTER_ERR_CONN_REFUSED',
  'ROUTER_ERR_REJECTED_BY_APPLICATION',
  'ROUTER_ERR_DNS_RESOLUTION_FAILED',
  'ROUTER_ERR_PORT_NOT_ALLOWED',
  'ROUTER_ERR_INVALID_LINK_DESTINATION',
  'ROUTER_ERR_RESOURCES_NOT_AVAILABLE',
] as const

export type CircuitFailureCause = (typeof circuitFailureCauses)[number]

export type CircuitErrorCode =
  | CircuitFailureCause
  /** Another circuit has the id that was asked for. */
  | 'CIRCUIT_ID_IN_USE'
  /** The service demands encryption, and one end sent no key. */
  | 'ENCRYPTION_DATA_MISSING'
  /** What allowed the circuit ended while it was made. */
  | 'ACCESS_ENDED'
  /** As many circuits as are allowed are being made already. */
  | 'TOO_MANY_REQUESTS'

export class CircuitError extends Error {
  readonly code: CircuitErrorCode
  /** Set once the circuit has an id. */
  readonly circuitId: string | undefined

  constructor(code: CircuitErrorCode, message: string, options: ErrorOptions & { readonly circuitId?: string } = {}) {
    super(message, options)
    this.name = 'CircuitError'
    this.code = code
    this.circuitId = options.circuitId
  }
}

/** Whether a code is one that circuit events know. */
export function isFailureCause(code: CircuitErrorCode): code is CircuitFailureCause {
  return (circuitFailureCauses as readonly string[]).includes(code)
}

/** What a router's error code means where it does not depend on the terminator. */
const causeOfCode: Readonly<Record<number, CircuitFailureCause>> = {
  3: 'ROUTER_ERR_DIAL_TIMED_OUT',
  4: 'ROUTER_ERR_CONN_REFUSED',
  5: 'ROUTER_ERR_REJECTED_BY_APPLICATION',
  6: 'ROUTER_ERR_DNS_RESOLUTION_FAILED',
  7: 'ROUTER_ERR_PORT_NOT_ALLOWED',
  8: 'ROUTER_ERR_INVALID_LINK_DESTINATION',
  9: 'ROUTER_ERR_RESOURCES_NOT_AVAILABLE',
}

export const INVALID_TERMINATOR = 1
const MISCONFIGURED_TERMINATOR = 2

/** Terminators of these bindings exist only while their host is connected: what the router does not know is gone. */
const hostedBindings: ReadonlySet<string> = new Set(['edge', 'tunnel'])

export function isHosted(binding: string): boolean {
  return hostedBindings.has(binding)
}

/** The failure cause of a router's error code for a terminator of a binding. */
export function causeOf(code: number, binding: string): CircuitFailureCause {
  if (code === INVALID_TERMINATOR && isHosted(binding)) return 'ROUTER_ERR_INVALID_TERMINATOR'
  if (code === INVALID_TERMINATOR || code === MISCONFIGURED_TERMINATOR) return 'ROUTER_ERR_MISCONFIGURED_TERMINATOR'
  return causeOfCode[code] ?? 'ROUTER_ERR_GENERIC'
}
