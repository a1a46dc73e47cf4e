/**
 * The second factor during a login: showing a code, and enrolling where the policy asks for one that is not there yet.
 *
 * All of it needs a primary factor that was accepted in the same login. Wrong codes count per identity, whichever API they
 * are tried at.
 */
import type { SecondFactor } from '../../auth/second-factor.ts'
import { provisioningUrl } from '../../auth/totp.ts'
import { ApiError } from '../../operation/api-error.ts'
import type { Answer } from '../../operation/operation.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { json } from './answers.ts'
import type { AuthRequest, AuthRequests, PassedFactors } from './auth-requests.ts'
import { readLoginForm } from './login-form.ts'
import type { LoginPages } from './login-pages.ts'
import type { AnswerKind, LoginSteps } from './login-steps.ts'
import type { OidcCall } from './oidc-call.ts'
import { invalidTotpCode } from './oidc-error.ts'

export interface LoginTotpDeps {
  readonly kit: Kit
  readonly factor: SecondFactor
  readonly requests: AuthRequests
  readonly steps: LoginSteps
  readonly pages: LoginPages
  /** What authenticator apps show as the issuer. */
  readonly totpIssuer: string
}

/** Completes a login with a TOTP or a recovery code. */
export async function showCode(deps: LoginTotpDeps, call: OidcCall, kind: AnswerKind): Promise<Answer> {
  const { kit, factor, requests, steps } = deps
  const { id, code } = readLoginForm(call)
  const request = requests.find(id)
  const passed = request?.passed
  if (request === undefined || passed === undefined) throw invalidTotpCode()
  await kit.write(call.http, (change) => {
    const mfa = factor.of(change.view, passed.identityId)
    if (mfa?.isVerified !== true) throw invalidTotpCode()
    try {
      factor.spend(change, mfa, code ?? '', ['totp', 'recovery code'])
    } catch (error) {
      throw error instanceof ApiError && error.code === 'MFA_INVALID_TOKEN' ? invalidTotpCode() : error
    }
  })
  return withTotp(steps, call, request, passed, kind)
}

/** A new seed and recovery codes, which count once a code of that seed was shown. */
export async function enroll(deps: LoginTotpDeps, call: OidcCall, kind: AnswerKind): Promise<Answer> {
  const { kit, factor, pages, totpIssuer } = deps
  const { request, passed } = started(deps, readLoginForm(call).id)
  const mfa = await kit.write(call.http, (change) => {
    const half = factor.of(change.view, passed.identityId)
    // A person who comes back to the page starts anew; programs ask for that.
    if (kind === 'page' && half?.isVerified === false) change.remove('mfas', half.id)
    return factor.enroll(change, passed.identityId)
  })
  const name = kit.view.get('identities', passed.identityId)?.name ?? ''
  const url = provisioningUrl(totpIssuer, name, factor.seed(mfa))
  const recoveryCodes = factor.recoveryCodes(mfa)
  if (kind === 'page') return pages.enrollment(request, { url, recoveryCodes, problem: undefined })
  const { id, createdAt, updatedAt } = mfa
  const record = { _links: null, createdAt, id, updatedAt, isVerified: false, provisioningUrl: url, recoveryCodes }
  return json(record, { 'cache-control': 'no-store' }, 201)
}

/** Clears an enrollment: one that is half done at will, a verified one only with a code. */
export async function removeEnrollment(deps: LoginTotpDeps, call: OidcCall): Promise<Answer> {
  const { kit, factor } = deps
  const { id, code } = readLoginForm(call)
  const { passed } = started(deps, id)
  await kit.write(call.http, (change) => {
    const mfa = factor.of(change.view, passed.identityId)
    if (mfa === undefined) throw new ApiError('NOT_FOUND')
    if (mfa.isVerified) factor.spend(change, mfa, code ?? '', ['totp', 'recovery code'])
    change.remove('mfas', mfa.id)
  })
  return json({})
}

export async function verifyEnrollment(deps: LoginTotpDeps, call: OidcCall, kind: AnswerKind): Promise<Answer> {
  const { kit, factor, steps, pages, totpIssuer } = deps
  const { id, code } = readLoginForm(call)
  const { request, passed } = started(deps, id)
  try {
    await kit.write(call.http, (change) => {
      const mfa = factor.of(change.view, passed.identityId)
      if (mfa === undefined || mfa.isVerified) throw new ApiError('NOT_FOUND')
      factor.spend(change, mfa, code ?? '', ['totp'])
      change.update('mfas', mfa.id, { isVerified: true })
    })
  } catch (error) {
    const half = factor.of(kit.view, passed.identityId)
    if (kind !== 'page' || !(error instanceof ApiError) || half === undefined || half.isVerified) throw error
    const name = kit.view.get('identities', passed.identityId)?.name ?? ''
    const url = provisioningUrl(totpIssuer, name, factor.seed(half))
    return pages.enrollment(request, { url, recoveryCodes: factor.recoveryCodes(half), problem: error })
  }
  return withTotp(steps, call, request, passed, kind)
}

function started({ requests }: LoginTotpDeps, id: string | undefined) {
  const request = requests.find(id)
  if (request?.passed === undefined) throw new ApiError('UNAUTHORIZED')
  return { request, passed: request.passed }
}

function withTotp(
  steps: LoginSteps,
  call: OidcCall,
  request: AuthRequest,
  before: PassedFactors,
  kind: AnswerKind,
): Answer {
  // Another login of the same request may have come in between; what was shown belongs to the identity it was shown for.
  const current = request.passed?.identityId === before.identityId ? request.passed : before
  const passed = { ...current, isTotpDone: true }
  request.passed = passed
  return steps.next(call, request, passed, kind)
}
