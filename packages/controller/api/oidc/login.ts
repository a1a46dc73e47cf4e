/**
 * The primary factors: name and password, certificate, token of an external signer.
 *
 * The certificate of a connection counts only for a login by certificate, and it is the leaf of the login's own connection
 * that the tokens are bound to. A second token may come along with any of the three.
 */
import { certificateFingerprint } from '@weft/pki'
import { bearerTokens } from '../../auth/bearer-tokens.ts'
import type { CertificateLogin } from '../../auth/certificate-login.ts'
import type { ExternalTokens } from '../../auth/external-tokens.ts'
import { isAdmin, type Login, LoginRefused } from '../../auth/login.ts'
import type { LoginWindow } from '../../auth/login-window.ts'
import { acceptLogin } from '../../auth/open-session.ts'
import type { PasswordLogin } from '../../auth/password-login.ts'
import { ApiError, refusal } from '../../operation/api-error.ts'
import type { Answer } from '../../operation/operation.ts'
import type { Change } from '../../resource-kit/change.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { type LoginEvent, loginEvent } from '../login-event.ts'
import type { AuthRequest, AuthRequests, LoginCertificate, PassedFactors } from './auth-requests.ts'
import { type LoginForm, readLoginForm } from './login-form.ts'
import type { AnswerKind, LoginSteps } from './login-steps.ts'
import type { OidcCall } from './oidc-call.ts'

export interface LoginDeps {
  readonly kit: Kit
  readonly requests: AuthRequests
  readonly steps: LoginSteps
  readonly passwords: Pick<PasswordLogin, 'login'>
  readonly certificates: Pick<CertificateLogin, 'login'>
  readonly externalTokens: Pick<ExternalTokens, 'login' | 'isConfirmedBy'>
  readonly window: Pick<LoginWindow, 'hold'>
  readonly onLogin: (event: LoginEvent) => void
}

export type LoginMethod = PassedFactors['method']

export async function login(deps: LoginDeps, call: OidcCall, method: LoginMethod, kind: AnswerKind): Promise<Answer> {
  const { kit, steps, window, onLogin } = deps
  const form = readLoginForm(call)
  const request = deps.requests.find(form.id)
  if (request === undefined) throw new ApiError('UNAUTHORIZED')
  const second = method === 'ext-jwt' ? await secondToken(deps, call, request) : undefined
  if (second !== undefined) return steps.next(call, request, second, kind)
  const event = { method, remoteAddress: call.http.remoteEnd }
  try {
    const accepted = await checkFactor(deps, call, method, form)
    return await window.hold({ isAdmin: isAdmin(kit.view, accepted) }, async () => {
      const passed = await pass(deps, call, { accepted, method, form, request })
      onLogin(loginEvent(event, accepted))
      request.passed = passed
      return steps.next(call, request, passed, kind)
    })
  } catch (error) {
    if (error instanceof LoginRefused) onLogin(loginEvent(event, error))
    throw error
  }
}

/** A token that is posted alone, after another factor: the second one, if that is still owed. */
async function secondToken({ externalTokens, steps }: LoginDeps, call: OidcCall, request: AuthRequest) {
  const { passed } = request
  const signerId = passed && steps.requiredSigner(passed.identityId)
  if (passed === undefined || signerId === undefined || passed.secondSignerId === signerId) return undefined
  const isShown = await externalTokens.isConfirmedBy(signerId, passed.identityId, bearerTokens(call.http))
  if (isShown) request.passed = { ...passed, secondSignerId: signerId }
  return request.passed
}

interface Step {
  readonly accepted: Login
  readonly method: LoginMethod
  readonly form: LoginForm
  readonly request: AuthRequest
}

async function pass(
  deps: LoginDeps,
  call: OidcCall,
  { accepted, method, form, request }: Step,
): Promise<PassedFactors> {
  const { kit, externalTokens, steps } = deps
  const { identityId, authenticatorId } = accepted
  const info = { ...form.info, configTypes: [...request.asked.configTypes, ...form.info.configTypes] }
  // The time of the change, not of what comes after it: a revocation that follows must count for this login.
  const enter = (change: Change) => {
    acceptLogin(change, accepted, info)
    return Date.parse(change.now)
  }
  const at = await kit.write(call.http, enter, { table: 'identities', id: identityId })
  const signerId = steps.requiredSigner(identityId)
  const isSecondShown =
    signerId !== undefined && (await externalTokens.isConfirmedBy(signerId, identityId, bearerTokens(call.http)))
  return {
    identityId,
    authenticatorId,
    method,
    at,
    info,
    csrPem: form.csrPem,
    certificate: method === 'cert' ? loginCertificate(deps, call, accepted) : undefined,
    isTotpDone: false,
    secondSignerId: isSecondShown ? signerId : undefined,
  }
}

async function checkFactor(deps: LoginDeps, { http }: OidcCall, method: LoginMethod, form: LoginForm): Promise<Login> {
  if (method === 'cert') return deps.certificates.login(http.clientCertificates())
  if (method === 'ext-jwt') return deps.externalTokens.login(bearerTokens(http))
  const { username, password } = form
  if (username === undefined || password === undefined) {
    throw refusal('COULD_NOT_VALIDATE', 'username and password fields are required')
  }
  return deps.passwords.login(username, password)
}

function loginCertificate({ kit }: LoginDeps, { http }: OidcCall, accepted: Login): LoginCertificate | undefined {
  const [leaf] = http.clientCertificates()
  if (leaf === undefined) return undefined
  const identity = kit.view.get('identities', accepted.identityId)
  const policy = identity && kit.view.get('authPolicies', identity.authPolicyId)
  return {
    fingerprint: certificateFingerprint(leaf),
    isExtendable: accepted.certificate?.isExtendable ?? false,
    isProperChain: accepted.certificate?.isProperChain ?? true,
    mayBeExpired: policy?.primary.cert.allowExpiredCerts ?? false,
  }
}
