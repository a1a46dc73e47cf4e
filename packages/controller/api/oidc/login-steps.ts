/**
 * From one factor to the next: what a login still owes, and how its client is told.
 *
 * A code is asked for when the auth policy requires one or the identity has a verified second factor; a second token when
 * the policy names an external signer.
 */
import { externalChallenge } from '../../auth/challenges.ts'
import type { Answer } from '../../operation/operation.ts'
import { findOne, type View } from '../../state/view.ts'
import { json, redirect } from './answers.ts'
import type { AuthRequest, PassedFactors } from './auth-requests.ts'
import { paths } from './discovery.ts'
import type { LoginPages } from './login-pages.ts'
import type { OidcCall } from './oidc-call.ts'
import { withParameters } from './redirect-uris.ts'

/** One factor that is asked for. */
export interface LoginQuery {
  readonly typeId: 'TOTP' | 'EXT-JWT'
  readonly [member: string]: unknown
}

/** JSON for programs, pages for people. */
export type AnswerKind = 'json' | 'page'

export interface LoginStepsDeps {
  readonly view: View
  readonly pages: LoginPages
}

export class LoginSteps {
  readonly #deps: LoginStepsDeps

  constructor(deps: LoginStepsDeps) {
    this.#deps = deps
  }

  outstanding({ identityId, isTotpDone, secondSignerId }: PassedFactors): readonly LoginQuery[] {
    const { view } = this.#deps
    const identity = view.get('identities', identityId)
    const policy = identity && view.get('authPolicies', identity.authPolicyId)
    const isTotpEnrolled = findOne(view, 'mfas', 'identityId', identityId)?.isVerified ?? false
    // Without its policy nobody knows what would be enough.
    if (policy === undefined) return [totpQuery(isTotpEnrolled)]
    const { requireTotp, requireExtJwtSigner } = policy.secondary
    const queries: LoginQuery[] = []
    if ((requireTotp || isTotpEnrolled) && !isTotpDone) queries.push(totpQuery(isTotpEnrolled))
    if (requireExtJwtSigner && requireExtJwtSigner !== secondSignerId)
      queries.push(this.#signerQuery(requireExtJwtSigner))
    return queries
  }

  /** The external signer whose token the identity must show besides its primary factor. */
  requiredSigner(identityId: string): string | undefined {
    const { view } = this.#deps
    const identity = view.get('identities', identityId)
    const policy = identity && view.get('authPolicies', identity.authPolicyId)
    return policy?.secondary.requireExtJwtSigner || undefined
  }

  /** Sends the client back when all is done, and else tells what is not. */
  next(call: OidcCall, request: AuthRequest, passed: PassedFactors, kind: AnswerKind): Answer {
    const queries = this.outstanding(passed)
    if (queries.length === 0) return redirect(withParameters(`${call.issuer}${paths.callback}`, { id: request.id }))
    const headers = this.#headers(queries)
    if (kind === 'json') return json({ authQueries: queries }, headers)
    return this.#deps.pages.nextFactor(request, queries, headers)
  }

  /** What is outstanding, for a client that asks; null before the first factor. */
  queries(request: AuthRequest): Answer {
    const { passed } = request
    if (passed === undefined) return json({ authQueries: null })
    const queries = this.outstanding(passed)
    const isTotpOwed = queries.some(({ typeId }) => typeId === 'TOTP')
    return json({ authQueries: queries }, isTotpOwed ? { 'totp-required': 'true' } : {})
  }

  #headers(queries: readonly LoginQuery[]): Record<string, string> {
    const headers: Record<string, string> = {}
    for (const { typeId, id } of queries) {
      if (typeId === 'TOTP') headers['totp-required'] = 'true'
      else {
        const signer = this.#deps.view.get('externalJwtSigners', String(id))
        if (signer !== undefined) headers['www-authenticate'] = externalChallenge('secondary', 'missing', [signer])
      }
    }
    return headers
  }

  #signerQuery(id: string): LoginQuery {
    const signer = this.#deps.view.get('externalJwtSigners', id)
    const scopes = signer?.scopes ?? []
    return {
      typeId: 'EXT-JWT',
      provider: 'url',
      id,
      ...(signer?.externalAuthUrl && { httpUrl: signer.externalAuthUrl }),
      ...(signer?.clientId && { clientId: signer.clientId }),
      scopes: scopes.length === 0 ? null : scopes,
    }
  }
}

function totpQuery(isTotpEnrolled: boolean): LoginQuery {
  return {
    typeId: 'TOTP',
    provider: 'ziti',
    format: 'numeric',
    httpMethod: 'POST',
    httpUrl: './oidc/login/totp',
    minLength: 6,
    maxLength: 8,
    ...(isTotpEnrolled && { isTotpEnrolled }),
    scopes: null,
  }
}
