/**
 * A request to the provider as its endpoints see it: what the HTTP layer knows, which issuer was asked, and the body, be
 * it a form or JSON.
 */
import type { Call } from '../../operation/operation.ts'

export type OidcBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'form'; readonly form: URLSearchParams }
  | { readonly kind: 'json'; readonly json: Readonly<Record<string, unknown>> }
  | { readonly kind: 'other'; readonly mediaType: string }

export interface OidcCall {
  readonly http: Call
  /** `https://host:port`, as the client asked for it. */
  readonly origin: string
  /** The origin and `/oidc`. */
  readonly issuer: string
  /** Address and port of the client. */
  readonly remote: string
  readonly body: OidcBody
}

const noForm = new URLSearchParams()

/** The form of a request; empty when its body is anything else. */
export function formOf({ body }: OidcCall): URLSearchParams {
  return body.kind === 'form' ? body.form : noForm
}

/** A parameter of the query or, when it is not there, of the form. Empty ones are absent. */
export function parameter(call: OidcCall, name: string): string | undefined {
  return call.http.query.get(name) || formOf(call).get(name) || undefined
}
