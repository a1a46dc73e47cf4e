/**
 * Why a router's request in the name of a client is refused: a code that SDKs act on, and what may be done about it. A
 * failure of our own is never called a bad session, or clients would all log in again at once.
 */
import type { Message } from '@weft/wire'
import { edgeErrorCode, type RetryHint, retryHint } from '@weft/wire/messages'
import { CircuitError } from '../../fabric/circuit-error.ts'
import { ApiError } from '../../operation/api-error.ts'
import type { ControlConnection } from '../control-connection.ts'

export type RefusalName = keyof typeof edgeErrorCode

/** What helps: to begin with a new session, or nothing. What is not here may be tried again. */
const hints: Readonly<Partial<Record<RefusalName, RetryHint>>> = {
  invalidApiSession: retryHint.startOver,
  invalidSession: retryHint.startOver,
  wrongSessionType: retryHint.startOver,
  invalidEdgeRouterForSession: retryHint.startOver,
  encryptionDataMissing: retryHint.startOver,
  invalidService: retryHint.notRetriable,
  tunnelingNotEnabled: retryHint.notRetriable,
  invalidTerminator: retryHint.notRetriable,
  invalidPrecedence: retryHint.notRetriable,
  invalidCost: retryHint.notRetriable,
  invalidInstanceId: retryHint.notRetriable,
}

export class EdgeRefusal extends Error {
  readonly code: number
  readonly hint: RetryHint
  readonly circuitId: string | undefined

  constructor(
    name: RefusalName,
    message: string,
    options: ErrorOptions & { readonly hint?: RetryHint; readonly circuitId?: string | undefined } = {},
  ) {
    super(message, options)
    this.name = 'EdgeRefusal'
    this.code = edgeErrorCode[name]
    this.hint = options.hint ?? hints[name] ?? retryHint.default
    this.circuitId = options.circuitId
  }

  get isBusy(): boolean {
    return this.hint === retryHint.tooBusy
  }
}

/** What the requester is told of any failure; the details of our own stay here. */
export function refusalOf(error: unknown): EdgeRefusal {
  if (error instanceof EdgeRefusal) return error
  if (error instanceof CircuitError) {
    const { circuitId, message, code } = error
    const options = { circuitId, cause: error }
    if (code === 'ENCRYPTION_DATA_MISSING') return new EdgeRefusal('encryptionDataMissing', message, options)
    if (code === 'INVALID_SERVICE') return new EdgeRefusal('invalidService', message, options)
    if (code === 'ACCESS_ENDED') return new EdgeRefusal('accessDenied', message, options)
    if (code === 'TOO_MANY_REQUESTS')
      return new EdgeRefusal('internal', message, { ...options, hint: retryHint.tooBusy })
    return new EdgeRefusal('internal', message, options)
  }
  const isBusy = error instanceof ApiError && error.code === 'SERVER_TOO_MANY_REQUESTS'
  const hint = isBusy ? retryHint.tooBusy : retryHint.default
  return new EdgeRefusal('internal', isBusy ? 'too many changes are waiting' : 'internal error', { hint, cause: error })
}

/** The answer to a request that is refused. */
export function replyRefusal(from: ControlConnection, frame: Message, error: unknown): void {
  const { code, hint, circuitId, message } = refusalOf(error)
  const fields = { errorCode: code, retryHint: hint, body: Buffer.from(message) }
  from.reply(frame, 'error', circuitId === undefined ? fields : { ...fields, circuitId })
}
