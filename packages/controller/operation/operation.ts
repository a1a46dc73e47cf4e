/**
 * One operation of an HTTP API, as the HTTP layer sees it: where it is mounted, who may call it, what body it takes and
 * what it answers. Resources and plain route files both end as a list of these; the order of checks (route, caller,
 * content type, body, permission, handler) is the HTTP layer's alone and the same for all.
 */
import type { Caller } from './caller.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a caller does to an entity; `read` is what `admin_readonly` may. */
export type Action = 'read' | 'create' | 'update' | 'delete'

/**
 * Who may call: `anyone` (no session looked at), `partial` (a session whose second factor may be outstanding),
 * `session` (any full session), `admin`, or whoever holds a grant on an entity.
 */
export type Access = 'anyone' | 'partial' | 'session' | 'admin' | EntityAccess

export interface EntityAccess {
  readonly entity: string
  readonly action: Action
  /** The right to read everything is not enough: what is read here is more than the entities. */
  readonly isBeyondReadonly?: true
}

/** The request as handlers may see it. Header names are lower-case. */
export interface Call<Body = unknown> {
  readonly requestId: string
  readonly method: Method
  /** The path below the API's base, cleaned. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Body
  readonly caller: Caller
  readonly remoteAddress: string
  /** The address with the port. */
  readonly remoteEnd: string
  /** The Host header. */
  readonly host: string
  header(name: string): string | undefined
  /** Every line of a repeated header, in order. */
  headerLines(name: string): readonly string[]
  /** DER of the TLS client certificates, leaf first; empty when none was presented. */
  clientCertificates(): readonly Buffer[]
}

/** What a handler answers. `body` is sent as JSON unless it is text or bytes with a content type of its own. */
export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Called once: with true when the answer has gone out, with false when nobody was there to take it. */
  readonly onEnd?: (isTaken: boolean) => void
}

/** Turns a parsed JSON body into what the handler gets, or throws an `ApiError`. */
export interface BodyContract {
  /** The name by which parse errors call the body, as the peers do (`identity`, `service`, …). */
  readonly name: string
  /** False where the body may be left out; the handler then gets undefined. */
  readonly isRequired: boolean
  /** Media types besides application/json; their text is handed over unparsed. */
  readonly alsoConsumes?: readonly string[]
  /** What it takes, as JSON schema, for the served OpenAPI document. */
  readonly schema?: Readonly<Record<string, unknown>>
  decode(json: unknown): unknown
}

export interface Operation {
  readonly operationId: string
  readonly method: Method
  /** Below the API's base, with `{name}` for parameters. */
  readonly path: string
  readonly access: Access
  readonly body?: BodyContract
  /** Query parameters with a closed set of values or a type, checked before the body. */
  readonly parameters?: readonly QueryParameter[]
  /** Content types it produces when not JSON; such operations ignore Accept. */
  readonly produces?: readonly string[]
  /** Of a successful answer, where it is not 200, nor 201 for what is created in a collection. */
  readonly status?: number
  /** Many come at once, and what takes too long does so because of them: the client is told to come back. */
  readonly isOfCrowds?: boolean
  readonly handle: (call: Call<never>) => Answer | Promise<Answer>
}

export interface QueryParameter {
  readonly name: string
  /** `text` and `texts` (which may be repeated) are for the handler to judge. */
  readonly kind: 'integer' | 'boolean' | 'text' | 'texts' | { readonly oneOf: readonly string[] }
  readonly isRequired?: boolean
}

/** What every list takes. */
export const listParameters: readonly QueryParameter[] = [
  { name: 'limit', kind: 'integer' },
  { name: 'offset', kind: 'integer' },
  { name: 'filter', kind: 'text' },
  { name: 'sort', kind: 'text' },
]
