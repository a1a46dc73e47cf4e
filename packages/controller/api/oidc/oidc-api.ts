/**
 * The HTTP side of the provider: from a request to its endpoint, and from what that says to an answer.
 *
 *   declared length (413) -> host (404) -> route (404, 405) -> body (413, 415, 400) -> endpoint -> answer
 *
 * Not a JSON API: bodies are forms too, answers are redirects and pages too, and refusals come in OAuth's shape or
 * without an envelope. The bounds are the same.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, tooManyRequests } from '../../operation/api-error.ts'
import type { Answer, Method } from '../../operation/operation.ts'
import { tellWhenTaken } from '../http/answer-taken.ts'
import { BodyLost, type BodyReader, endLingering, hasBody } from '../http/body-reader.ts'
import { answerOptions, CROSS_ORIGIN_HEADERS } from '../http/cors.ts'
import { parseJsonBody } from '../http/json-body.ts'
import { RequestCall } from '../http/request-call.ts'
import type { HttpLog, RequestHandler } from '../http/request-handler.ts'
import { createRequestIds } from '../http/request-id.ts'
import { asHtml, notFound } from './answers.ts'
import type { OidcBody, OidcCall } from './oidc-call.ts'
import { refusalAnswer } from './oidc-error.ts'

export interface OidcRoute {
  readonly methods: readonly Method[]
  /** Below `/oidc`. */
  readonly path: string
  readonly handle: (call: OidcCall) => Answer | Promise<Answer>
}

export interface OidcApiOptions {
  readonly routes: readonly OidcRoute[]
  /** The values of Host that are issuers at this moment. */
  readonly hosts: () => ReadonlySet<string>
  readonly bodies: BodyReader
  readonly log: HttpLog
  /** Milliseconds. */
  readonly processingLimit?: number
}

export const OIDC_BASE = '/oidc'

const PROCESSING_LIMIT = 10_000
const JSON_TYPE = 'application/json'
const HTML_TYPE = 'text/html; charset=utf-8'
const FORM_TYPE = 'application/x-www-form-urlencoded'

export function createOidcApi(options: OidcApiOptions): RequestHandler {
  const { hosts, bodies, log, processingLimit = PROCESSING_LIMIT } = options
  const routes = new Map(options.routes.map((route) => [route.path, route]))
  const newRequestId = createRequestIds()

  return (request, response, target) => {
    if (request.method === 'OPTIONS') {
      answerOptions(request, response)
      return
    }
    const send = (answer: Answer) => write(request, response, answer)
    if (bodies.isDeclaredTooLarge(request.headers)) {
      send(refusalAnswer(new ApiError('REQUEST_ENTITY_TOO_LARGE'))!)
      return
    }
    const host = request.headers.host?.toLowerCase() ?? ''
    const path = target.path.slice(OIDC_BASE.length)
    const isDoubled = path.includes('//')
    const isIssuer = hosts().has(host)
    const route = isIssuer && !isDoubled ? routes.get(path) : undefined
    const http = new RequestCall(request, OIDC_BASE, target, {}, newRequestId)
    const origin = `https://${host}`
    const call = { http, origin, issuer: `${origin}${OIDC_BASE}`, remote: remoteOf(request) }
    const refuse = (error: unknown) => {
      if (error instanceof BodyLost) return
      const expected = refusalAnswer(error)
      if (expected === undefined)
        log.error('request failed unexpectedly', { err: error, path, requestId: http.requestId })
      send(expected ?? { status: 500, body: { error: 'server_error', error_description: `request ${http.requestId}` } })
    }
    run(async () => {
      if (route === undefined || !route.methods.includes(request.method as Method)) {
        if (hasBody(request.headers)) await bodies.discard(request, response)
        if (isDoubled && isIssuer) return moved(path, target.search)
        return route === undefined ? notFound : { status: 405, body: undefined }
      }
      const body = await readBody(bodies, request, response)
      return inTime(processingLimit, Promise.resolve(route.handle({ ...call, body })))
    })
      .then(send, refuse)
      .catch((error: unknown) => {
        log.error('answer could not be written', { err: error, path })
        response.destroy()
      })
  }
}

/** What is thrown at once is a rejection like any other. */
async function run(work: () => Promise<Answer>): Promise<Answer> {
  return work()
}

async function readBody(bodies: BodyReader, request: IncomingMessage, response: ServerResponse): Promise<OidcBody> {
  const mediaType = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  if (!hasBody(request.headers)) {
    return mediaType === FORM_TYPE || mediaType === JSON_TYPE || request.method === 'GET'
      ? { kind: 'none' }
      : { kind: 'other', mediaType }
  }
  if (mediaType !== FORM_TYPE && mediaType !== JSON_TYPE) {
    await bodies.discard(request, response)
    return { kind: 'other', mediaType }
  }
  return bodies.read(request, response, (bytes) => {
    if (mediaType === FORM_TYPE) return { kind: 'form', form: new URLSearchParams(bytes.toString('utf8')) }
    const json = parseJsonBody(bytes, 'login') ?? {}
    if (typeof json !== 'object' || Array.isArray(json)) throw new ApiError('COULD_NOT_PARSE_BODY')
    return { kind: 'json', json: json as Readonly<Record<string, unknown>> }
  })
}

async function inTime(limit: number, answer: Promise<Answer>): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(tooManyRequests())
    answer.then(
      (tooLate) => tooLate.onEnd?.(false),
      () => {}, // What it failed with comes too late as well.
    )
  }, limit)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
  }
}

function moved(path: string, search: string): Answer {
  const location = `${OIDC_BASE}${path.replace(/\/+/g, '/')}${search === '' ? '' : `?${search}`}`
  return { status: 301, body: undefined, headers: { location } }
}

function remoteOf({ socket }: IncomingMessage): string {
  const { remoteAddress = '', remotePort = 0 } = socket
  const address = remoteAddress.startsWith('::ffff:') ? remoteAddress.slice('::ffff:'.length) : remoteAddress
  return address.includes(':') ? `[${address}]:${remotePort}` : `${address}:${remotePort}`
}

/** People whose browser does not follow get something to click on. */
function withLink({ method }: IncomingMessage, answer: Answer): Answer {
  const location = answer.headers?.['location']
  if (method !== 'GET' || answer.status !== 302 || typeof location !== 'string') return answer
  return { ...answer, body: `<a href="${asHtml(location)}">Found</a>.\n\n`, contentType: HTML_TYPE }
}

function write(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  tellWhenTaken(response, answer)
  if (response.destroyed || response.headersSent) return
  const { status, body, contentType = JSON_TYPE, headers = {} } = withLink(request, answer)
  const text = typeof body === 'string' ? body : body === undefined ? '' : `${JSON.stringify(body)}\n`
  const head: string[] = ['content-length', String(Buffer.byteLength(text)), 'vary', 'Origin']
  if (body !== undefined || status === 200) head.push('content-type', contentType)
  if (request.headers.origin !== undefined) head.push(...CROSS_ORIGIN_HEADERS)
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') head.push(name, value)
    else for (const line of value) head.push(name, line)
  }
  const isUnread = status === 413
  if (isUnread) head.push('connection', 'close')
  response.writeHead(status, head)
  if (isUnread) endLingering(request, response, text)
  else response.end(text)
}
