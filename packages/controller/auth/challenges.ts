/**
 * What a refused caller is told in `WWW-Authenticate`: which kind of token was looked for, and what was wrong with it.
 */
import { ApiError } from '../operation/api-error.ts'

export type TokenProblem = 'missing' | 'invalid' | 'expired'

const descriptions: Readonly<Record<TokenProblem, string>> = {
  missing: 'no matching token was provided',
  invalid: 'token is invalid',
  expired: 'token expired',
}

/** An external signer that could have issued what was wanted. */
export interface Signer {
  readonly id: string
  readonly issuer: string
}

export function sessionChallenge(problem: TokenProblem): string {
  return challenge('zt-session', 'zt-session', problem)
}

export function bearerChallenge(problem: TokenProblem): string {
  return challenge('Bearer', 'openziti-oidc', problem)
}

export function externalChallenge(
  factor: 'primary' | 'secondary',
  problem: TokenProblem,
  signers: readonly Signer[],
): string {
  const ids = signers.map(({ id }) => id).join('|')
  const issuers = signers.map(({ issuer }) => headerSafe(issuer)).join('|')
  return `${challenge('Bearer', `openziti-${factor}-ext-jwt`, problem)} id="${ids}" issuer="${issuers}"`
}

/** The refusal for a caller without a usable token. */
export function unauthorized(...challenges: readonly string[]): ApiError {
  return new ApiError('UNAUTHORIZED', { headers: { 'www-authenticate': challenges.join(',') } })
}

/** The refusal for a caller who sent no token at all. */
export function unauthenticated(): ApiError {
  return new ApiError('UNAUTHORIZED', {
    headers: { 'www-authenticate': `${sessionChallenge('missing')},${bearerChallenge('missing')}` },
    cause: { code: 'UNHANDLED', message: 'unauthenticated for invalid credentials' },
  })
}

function challenge(scheme: string, realm: string, problem: TokenProblem): string {
  return `${scheme} realm="${realm}" error="${problem}" error_description="${descriptions[problem]}"`
}

/** An issuer is any text that an operator has typed; what cannot stand between quotes in a header is percent-encoded. */
function headerSafe(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x7e]|["|\\]/gu, encodeURIComponent)
}
