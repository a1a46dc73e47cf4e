/**
 * The token endpoint: from a code, a refresh token or another token to new tokens.
 */
import type { Answer } from '../../operation/operation.ts'
import { redeem } from './code-grant.ts'
import { TOKEN_EXCHANGE } from './discovery.ts'
import { exchange } from './exchange-grant.ts'
import { formOf, type OidcCall } from './oidc-call.ts'
import { OAuthError } from './oidc-error.ts'
import { refresh } from './refresh-grant.ts'
import type { TokenDeps } from './token-answer.ts'

export function token(deps: TokenDeps, call: OidcCall): Answer | Promise<Answer> {
  const grant = formOf(call).get('grant_type')
  if (!grant) throw new OAuthError('invalid_request', 'grant_type missing')
  switch (grant) {
    case 'authorization_code':
      return redeem(deps, call)
    case 'refresh_token':
      return refresh(deps, call)
    case TOKEN_EXCHANGE:
      return exchange(deps, call)
    default:
      throw new OAuthError('unsupported_grant_type', `${grant.slice(0, 100)} not supported`)
  }
}
