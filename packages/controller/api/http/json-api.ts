/**
 * A JSON API: operations behind one base path, and the one order of checks that all of them share.
 *
 *   declared length (413) -> route (404, 405) -> caller (401) -> media types (415, 406) -> query parameters (400)
 *     -> body: read (413), parse, contract (400) -> permission (401) -> handler -> answer
 *
 * The peers' clients depend on that order: a wrong body of an anonymous caller is a 401, one of a caller without the
 * permission is a 400. Nothing of a body is kept in memory before the caller is known, though a body that turns out too
 * large is a 413 for everybody. A request whose caller and handler answer at once makes no promise (bench/http.ts).
 */

import { type Clock, systemClock } from '../../clock.ts'
import { ApiError, refusal } from '../../operation/api-error.ts'
import type { Caller } from '../../operation/caller.ts'
import type { Access, Call, Operation } from '../../operation/operation.ts'
import { networkVersion } from '../../version.ts'
import { AnswerWriter } from './answer-writer.ts'
import { BodyReader } from './body-reader.ts'
import { answerOptions } from './cors.ts'
import { type Answered, Exchange, type ExchangeContext } from './exchange.ts'
import { type PreparedRoute, prepareRoute } from './prepared-route.ts'
import { RequestCall } from './request-call.ts'
import type { HttpLog, RequestHandler } from './request-handler.ts'
import { createRequestIds } from './request-id.ts'
import { type RouteMatch, RouteTable } from './route-table.ts'

const PROCESSING_LIMIT = 10_000

/** As the peers call themselves. */
const SERVER = `ziti-controller/${networkVersion}`

const NO_MATCH: RouteMatch<PreparedRoute> = { route: undefined, params: {}, allowed: [] }

export interface JsonApiOptions {
  /** Where the API is mounted, without a slash at the end. */
  readonly base: string
  readonly operations: readonly Operation[]
  /** Establishes who calls from the request's head; throws an `ApiError` with the challenges when nobody does. */
  readonly resolveCaller: (call: Call) => Caller | Promise<Caller>
  /** Judges callers that are fully authenticated, for `admin` and for grants on entities. */
  readonly allows: (caller: Caller, access: Access) => boolean
  readonly log: HttpLog
  readonly instanceId: string
  readonly server?: string
  /** Shared by all APIs of a process. */
  readonly bodies?: BodyReader
  /** Milliseconds after which a request is answered with `TIMEOUT`. */
  readonly processingLimit?: number
  readonly newRequestId?: () => string
  readonly clock?: Pick<Clock, 'monotonic'>
  /** Called for each answer of an operation; must not throw. */
  readonly onAnswered?: (answered: Answered) => void
}

/** Builds the handler of an API. Throws when two operations answer the same method and path. */
export function createJsonApi(options: JsonApiOptions): RequestHandler {
  const { base, newRequestId = createRequestIds() } = options
  const context: ExchangeContext = {
    resolveCaller: options.resolveCaller,
    allows: options.allows,
    bodies: options.bodies ?? new BodyReader(),
    writer: new AnswerWriter({ server: options.server ?? SERVER, instanceId: options.instanceId }),
    log: options.log,
    processingLimit: options.processingLimit ?? PROCESSING_LIMIT,
    clock: options.clock ?? systemClock,
    onAnswered: options.onAnswered,
  }
  const routes = new RouteTable(base, options.operations.map(prepareRoute))

  return (request, response, target) => {
    const method = request.method as string
    if (method === 'OPTIONS') {
      answerOptions(request, response)
      return
    }
    let match = NO_MATCH
    let problem: unknown
    try {
      if (context.bodies.isDeclaredTooLarge(request.headers)) throw new ApiError('REQUEST_ENTITY_TOO_LARGE')
      match = routes.match(method, target.path)
      if (match.route === undefined) throw notRouted(method, target.path, match.allowed)
    } catch (error) {
      problem = error
    }
    const call = new RequestCall(request, base, target, match.params, newRequestId)
    const exchange = new Exchange(context, request, response, call)
    if (match.route === undefined) exchange.refuse(problem)
    else exchange.run(match.route)
  }
}

function notRouted(method: string, path: string, allowed: readonly string[]): ApiError {
  return allowed.length === 0
    ? refusal('NOT_FOUND', `path ${path} was not found`)
    : refusal('METHOD_NOT_ALLOWED', `method ${method} is not allowed, but [${allowed.join(',')}] are`)
}
