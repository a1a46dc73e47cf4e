/**
 * The clients of the provider: two public native ones, without a secret, which prove themselves by PKCE alone.
 */
import { clientIds } from '../../auth/tokens/claims.ts'
import { formOf, type OidcCall } from './oidc-call.ts'
import { OAuthError } from './oidc-error.ts'

const BASIC = 'Basic '

export function isClient(id: string): boolean {
  return clientIds.has(id)
}

/** The client of a request to the token endpoint and its neighbours: by HTTP Basic with an empty secret, or by name. */
export function requestingClient(call: OidcCall): string {
  const named = formOf(call).get('client_id') || undefined
  const basic = basicClient(call.http.header('authorization'))
  if (basic !== undefined && named !== undefined && basic !== named) {
    throw new OAuthError('invalid_client', 'two different clients are named')
  }
  const id = basic ?? named
  if (id === undefined) throw new OAuthError('invalid_request', 'client_id or client_assertion must be provided')
  if (!isClient(id)) throw new OAuthError('invalid_client', 'client not found')
  return id
}

function basicClient(header: string | undefined): string | undefined {
  if (header === undefined || !header.startsWith(BASIC)) return undefined
  const text = Buffer.from(header.slice(BASIC.length), 'base64').toString('utf8')
  const end = text.indexOf(':')
  if (end < 0 || end !== text.length - 1) throw new OAuthError('invalid_client', 'clients have no secret here')
  return text.slice(0, end)
}
