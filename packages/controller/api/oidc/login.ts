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
import { type Login, LoginRefused } from '../../auth/login.ts'
import { acceptLogin } from '../../auth/open-session.ts'
import type { PasswordLogin } from '../../auth/password-login.ts'
import type { Clock } from '../../clock.ts'
import { ApiError, refusal } from '../../operation/api-error.ts'
import type { Answer } from '../../operation/operation.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { type LoginEvent, loginEvent } from '../login-event.ts'
import type { AuthRequest, AuthRequests, LoginCertificate, PassedFactors } from './auth-requests.ts'
import { type LoginForm, readLoginForm } from './login-form.ts'
import type { AnswerKind, LoginSteps } from './login-steps.ts'
import type { OidcCall } from './oidc-call.ts'

export interface LoginDeps {
  readonly kit: Kit
  readonly clock: Clock
  readonly requests: AuthRequests
  readonly steps: LoginSteps
  readonly passwords: Pick<PasswordLogin, 'login'>
  readonly certificates: Pick<CertificateLogin, 'login'>
  readonly externalTokens: Pick<ExternalTokens, 'login' | 'isConfirmedBy'>
  readonly onLogin: (event: LoginEvent) => void
}

export type LoginMethod = PassedFactors['method']

export async function login(deps: LoginDeps, call: OidcCall, method: LoginMethod, kind: AnswerKind): Promise<Answer> {
  const form = readLoginForm(call)
  const request = deps.requests.find(form.id)
  if (request === undefined) throw new ApiError('UNAUTHORIZED')
  const second = method === 'ext-jwt' ? await secondToken(deps, call, request) : undefined
  if (second !== undefined) return deps.steps.next(call, request, second, kind)
  const passed = await primaryFactor(deps, call, method, form, request)
  request.passed = passed
  return deps.steps.next(call, request, passed, kind)
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

async function primaryFactor(
  deps: LoginDeps,
  call: OidcCall,
  method: LoginMethod,
  form: LoginForm,
  request: AuthRequest,
): Promise<PassedFactors> {
  const { kit, clock, externalTokens, steps, onLogin } = deps
  const event = { method, remoteAddress: call.http.remoteAddress }
  try {
    const accepted = await checkFactor(deps, call, method, form)
    const { identityId, authenticatorId } = accepted
    const info = { ...form.info, configTypes: [...request.asked.configTypes, ...form.info.configTypes] }
    await kit.write(call.http, (change) => acceptLogin(change, accepted, info))
    const signerId = steps.requiredSigner(identityId)
    const isSecondShown =
      signerId !== undefined && (await externalTokens.isConfirmedBy(signerId, identityId, bearerTokens(call.http)))
    const { signerId: by, certificate: proven } = accepted
    const isImproperChain = proven !== undefined && !proven.isProperChain
    onLogin({
      ...event,
      isSuccess: true,
      reason: undefined,
      identityId,
      authenticatorId,
      signerId: by,
      isImproperChain,
    })
    return {
      identityId,
      authenticatorId,
      method,
      at: clock.now(),
      info,
      csrPem: form.csrPem,
      certificate: method === 'cert' ? loginCertificate(deps, call, accepted) : undefined,
      isTotpDone: false,
      secondSignerId: isSecondShown ? signerId : undefined,
    }
  } catch (error) {
    if (error instanceof LoginRefused) onLogin(loginEvent(event, error))
    throw error
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
