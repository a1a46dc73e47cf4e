/**
 * Token exchange (RFC 8693), by which Go SDKs refresh: a token of a session for another one of the same session.
 *
 * The subject token stays good, because clients exchange the same one twice. It must be what it is declared to be, and an
 * access token never becomes a refresh token: that would make a short life endless.
 */

import type { TokenClaims } from '../../auth/tokens/claims.ts'
import { asSessionToken } from '../../auth/tokens/token-verifier.ts'
import type { Answer } from '../../operation/operation.ts'
import { secretJson } from './answers.ts'
import { requestingClient } from './clients.ts'
import { formOf, type OidcCall } from './oidc-call.ts'
import { OAuthError } from './oidc-error.ts'
import { bindSession } from './session-binding.ts'
import { continuedClaims } from './session-claims.ts'
import { checkPossession, narrowedScopes, type TokenDeps, tellTokens } from './token-answer.ts'

const PREFIX = 'urn:ietf:params:oauth:token-type:'
const ACCESS = `${PREFIX}access_token`
const REFRESH = `${PREFIX}refresh_token`
const ID = `${PREFIX}id_token`

export function exchange(deps: TokenDeps, call: OidcCall): Answer {
  const { verifier, tokens, sessionCertificates } = deps
  const clientId = requestingClient(call)
  const form = formOf(call)
  const subject = readSubject(deps, form.get('subject_token') ?? '', form.get('subject_token_type') ?? '')
  if (subject.client_id !== clientId) throw invalidSubject()
  const wanted = form.get('requested_token_type') || ACCESS
  if (wanted !== ACCESS && wanted !== REFRESH && wanted !== ID) {
    throw new OAuthError('invalid_request', 'requested_token_type is not supported')
  }
  if (wanted === REFRESH && subject.z_t !== 'r') {
    throw new OAuthError('invalid_request', 'only a refresh token can be exchanged for a refresh token')
  }
  checkPossession(deps, call, subject)
  const identity = verifier.identityOf(subject)
  if (identity === undefined) throw invalidSubject()
  const scopes = narrowedScopes(form.get('scope'), subject.scopes)
  const csr = subject.z_cfs?.length ? form.get('csr_pem') || undefined : undefined
  const { claims: whole, sessionCert } = bindSession(sessionCertificates, continuedClaims(identity, subject), csr)
  const claims = { ...whole, scopes }
  const scope = scopes.join(' ')
  const certificate = sessionCert === undefined ? {} : { session_cert: sessionCert }
  if (wanted === ID) {
    const token = tokens.id(call.issuer, claims, { identity })
    return secretJson({ access_token: token, issued_token_type: ID, token_type: 'N_A', scope, ...certificate })
  }
  tellTokens(deps, call, 'exchanged', whole, sessionCert)
  const access = tokens.access(call.issuer, claims)
  const refresh = wanted === REFRESH ? { refresh_token: tokens.refresh(call.issuer, whole).token } : {}
  return secretJson({
    access_token: access.token,
    issued_token_type: wanted,
    token_type: 'Bearer',
    expires_in: access.expiresIn,
    scope,
    ...refresh,
    ...certificate,
  })
}

function readSubject({ verifier }: TokenDeps, token: string, declared: string): TokenClaims {
  if (declared === ID) throw new OAuthError('invalid_request', 'an ID token cannot be exchanged')
  const { claims } = verifier.verifySignature(token)
  const subject = claims && asSessionToken(claims, declared === REFRESH ? 'r' : 'a')
  if (declared !== REFRESH && declared !== ACCESS) throw invalidSubject()
  if (claims === undefined || subject === undefined) throw invalidSubject()
  if (verifier.timeProblem(claims) !== undefined || verifier.sessionProblem(subject) !== undefined)
    throw invalidSubject()
  return subject
}

function invalidSubject(): OAuthError {
  return new OAuthError('invalid_request', 'subject_token is invalid')
}
