/**
 * One request on its way through the checks (the order is drawn in json-api.ts).
 *
 * Each step calls the next one, directly when its result is there and through a promise when it is not; every way out
 * ends in `refuse` or `#finish`, and whichever comes first answers. What arrives after that is logged and dropped.
 */

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../clock.ts'
import type { LogFields } from '../../log/logger.ts'
import { ApiError, fieldError, refusal, tooManyRequests, unparsableBody } from '../../operation/api-error.ts'
import { type Caller, nobody } from '../../operation/caller.ts'
import type { Access, Answer, Call, Operation } from '../../operation/operation.ts'
import { tellWhenTaken } from './answer-taken.ts'
import type { AnswerWriter, Ending } from './answer-writer.ts'
import { BodyLost, type BodyReader, hasBody } from './body-reader.ts'
import { errorEnvelope } from './error-envelope.ts'
import { parseJsonBody } from './json-body.ts'
import { bodyType, checkAcceptsJson, JSON_TYPE } from './negotiation.ts'
import type { PreparedRoute } from './prepared-route.ts'
import { checkParameters } from './query-parameters.ts'
import type { RequestCall } from './request-call.ts'
import type { HttpLog } from './request-handler.ts'

/** What became of a request that reached an operation, for metrics and access logs. */
export interface Answered {
  readonly operation: Operation
  readonly call: Call
  readonly status: number
  readonly milliseconds: number
}

export interface ExchangeContext {
  readonly resolveCaller: (call: Call) => Caller | Promise<Caller>
  readonly allows: (caller: Caller, access: Access) => boolean
  readonly bodies: BodyReader
  readonly writer: AnswerWriter
  readonly log: HttpLog
  /** Milliseconds that resolving the caller and handling the request may each take. */
  readonly processingLimit: number
  readonly clock: Pick<Clock, 'monotonic'>
  readonly onAnswered: ((answered: Answered) => void) | undefined
}

export class Exchange {
  readonly #context: ExchangeContext
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #call: RequestCall
  #bodyIsUnread: boolean
  #isAnswered = false
  #operation: Operation | undefined = undefined
  #startedAt = 0
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(context: ExchangeContext, request: IncomingMessage, response: ServerResponse, call: RequestCall) {
    this.#context = context
    this.#request = request
    this.#response = response
    this.#call = call
    this.#bodyIsUnread = hasBody(request.headers)
  }

  /** Takes the request through all checks to the handler of its route. */
  run(route: PreparedRoute): void {
    const { onAnswered, clock, resolveCaller } = this.#context
    if (onAnswered !== undefined) this.#startedAt = clock.monotonic()
    this.#operation = route.operation
    try {
      const caller = route.operation.access === 'anyone' ? nobody : resolveCaller(this.#call)
      if (caller instanceof Promise) this.#wait(caller, (known) => this.#withCaller(route, known))
      else this.#withCaller(route, caller)
    } catch (error) {
      this.refuse(error)
    }
  }

  /** Answers with a refusal. Anything that is not an `ApiError` is a bug: it is logged, and only its id is told. */
  refuse(error: unknown): void {
    if (this.#isAnswered) this.#logLate(error)
    else if (error instanceof BodyLost) this.#isAnswered = true
    else this.#refuseWith(this.#asApiError(error))
  }

  #refuseWith(error: ApiError): void {
    const expectsContinue = this.#request.headers.expect !== undefined
    if (error.code === 'REQUEST_ENTITY_TOO_LARGE') this.#answerError(error, expectsContinue ? 'close' : 'linger')
    else if (!this.#bodyIsUnread) this.#answerError(error, 'keep')
    // A client that waits to be told to continue has not sent its body: it gets the answer instead.
    else if (expectsContinue) this.#answerError(error, 'close')
    else {
      this.#bodyIsUnread = false
      this.#context.bodies
        .discard(this.#request, this.#response)
        .then(
          () => this.#answerError(error, 'keep'),
          (later) => this.refuse(later),
        )
        .catch((problem) => this.#abandon(problem))
    }
  }

  #withCaller(route: PreparedRoute, caller: Caller): void {
    const call = this.#call
    const { headers } = this.#request
    const { body } = route.operation
    call.caller = caller
    try {
      const type = this.#bodyIsUnread ? bodyType(headers, route.consumes) : ''
      if (type === '' && !route.ignoresAccept) checkAcceptsJson(headers)
      if (route.parameters.length > 0 && (call.hasQuery || route.hasRequiredParameter)) {
        checkParameters(route.parameters, call.query)
      }
      if (type !== '') this.#readBody(route, type)
      else if (body?.isRequired) throw missingBody(body.name)
      else this.#handle(route)
    } catch (error) {
      this.refuse(error)
    }
  }

  #readBody(route: PreparedRoute, type: string): void {
    const { bodies } = this.#context
    const { body } = route.operation
    const isRead =
      body === undefined
        ? bodies.discard(this.#request, this.#response)
        : bodies.read(this.#request, this.#response, (bytes) => {
            this.#bodyIsUnread = false
            const value = type === JSON_TYPE ? parseJsonBody(bytes, body.name) : plainText(bytes, body.name)
            if (value === undefined && body.isRequired) throw missingBody(body.name)
            this.#call.body = value === undefined ? undefined : body.decode(value ?? {})
          })
    isRead
      .then(
        () => {
          this.#bodyIsUnread = false
          this.#handle(route)
        },
        (error) => this.refuse(error),
      )
      .catch((error) => this.#abandon(error))
  }

  #handle(route: PreparedRoute): void {
    try {
      const { access, handle } = route.operation
      if (!this.#permits(access)) throw new ApiError('UNAUTHORIZED')
      // The contract of the operation has decoded the body into the type that its handler asks for.
      const answer = handle(this.#call as Call as Call<never>)
      if (answer instanceof Promise) {
        const tooLate = (ready: Answer) => ready.onEnd?.(false)
        this.#wait(answer, (ready) => this.#finish(ready), tooLate)
      } else this.#finish(answer)
    } catch (error) {
      this.refuse(error)
    }
  }

  /** A second factor that is outstanding leaves a caller only what is open to such callers, whatever grants are stored. */
  #permits(access: Access): boolean {
    const { caller } = this.#call
    if (access === 'anyone') return true
    if (caller.kind === 'nobody') return false
    if (access === 'partial') return true
    if (caller.kind !== 'full') return false
    return access === 'session' || this.#context.allows(caller, access)
  }

  #finish(answer: Answer): void {
    tellWhenTaken(this.#response, answer)
    try {
      const isPacking = this.#context.writer.sendAnswer(this.#request, this.#response, answer)
      this.#settle(answer.status)
      if (isPacking !== undefined) isPacking.catch((error) => this.#abandon(error))
    } catch (error) {
      if (this.#response.headersSent) this.#abandon(error)
      else this.refuse(error)
    }
  }

  #answerError(error: ApiError, ending: Ending): void {
    if (this.#isAnswered) return
    this.#settle(error.status)
    const { writer } = this.#context
    const text = errorEnvelope(error, this.#call.requestId)
    const isPacking = writer.send(this.#request, this.#response, error.status, text, JSON_TYPE, error.headers, ending)
    if (isPacking !== undefined) isPacking.catch((problem) => this.#abandon(problem))
  }

  #settle(status: number): void {
    this.#isAnswered = true
    const { onAnswered, clock } = this.#context
    const operation = this.#operation
    if (onAnswered === undefined || operation === undefined) return
    onAnswered({ operation, call: this.#call, status, milliseconds: clock.monotonic() - this.#startedAt })
  }

  /** Goes on with the result of a promise, or refuses when it fails or takes too long. */
  #wait<T>(promise: Promise<T>, next: (value: T) => void, tooLate?: (value: T) => void): void {
    const tookTooLong = () => this.refuse(this.#operation?.isOfCrowds ? tooManyRequests() : new ApiError('TIMEOUT'))
    this.#timer = setTimeout(tookTooLong, this.#context.processingLimit)
    promise
      .then(
        (value) => {
          clearTimeout(this.#timer)
          if (this.#isAnswered) tooLate?.(value)
          else next(value)
        },
        (error) => {
          clearTimeout(this.#timer)
          this.refuse(error)
        },
      )
      .catch((error) => this.#abandon(error))
  }

  #asApiError(error: unknown): ApiError {
    if (error instanceof ApiError) {
      if (error.status >= 500) this.#context.log.warn('request refused for a reason of ours', this.#fields(error))
      return error
    }
    this.#context.log.error('request failed unexpectedly', this.#fields(error))
    return refusal('UNHANDLED', 'the cause is in the log of the controller, under this request id')
  }

  #logLate(error: unknown): void {
    if (error instanceof BodyLost || error instanceof ApiError) return
    this.#context.log.error('request failed after it had been answered', this.#fields(error))
  }

  /** The last resort: an answer could not be finished, so the connection must not be used any more. */
  #abandon(error: unknown): void {
    this.#isAnswered = true
    this.#context.log.error('answer could not be written', this.#fields(error))
    this.#response.destroy()
  }

  #fields(error: unknown): LogFields {
    const { requestId, method, path } = this.#call
    return { err: error, requestId, method, path }
  }
}

function missingBody(name: string): ApiError {
  return fieldError(name, `${name} in body is required`)
}

function plainText(bytes: Buffer, name: string): string | undefined {
  if (!isUtf8(bytes)) throw unparsableBody(name, 'the body is not valid UTF-8')
  return bytes.length === 0 ? undefined : bytes.toString('utf8')
}
