/**
 * Whether a page or JSON is wanted, for the login endpoints, and refusals in the same form.
 */
import { ApiError } from '../../operation/api-error.ts'
import type { Answer } from '../../operation/operation.ts'
import { preferredType } from '../informational/preferred-type.ts'
import type { AuthRequests } from './auth-requests.ts'
import { paths } from './discovery.ts'
import { LONGEST_CREDENTIAL, unsupportedMediaType } from './login-form.ts'
import type { LoginPages } from './login-pages.ts'
import type { AnswerKind } from './login-steps.ts'
import { type OidcCall, parameter } from './oidc-call.ts'
import { LoginError } from './oidc-error.ts'

/** Runs a login step and answers in the form that the client likes best. */
export async function answered(
  call: OidcCall,
  pages: LoginPages,
  requests: AuthRequests,
  step: (kind: AnswerKind) => Promise<Answer>,
): Promise<Answer> {
  const kind = wantedKind(call)
  if (call.body.kind === 'other') throw unsupportedMediaType(call.body.mediaType)
  try {
    return await step(kind)
  } catch (error) {
    if (kind === 'json' || !(error instanceof ApiError || error instanceof LoginError)) throw error
    const request = requests.find(parameter(call, 'authRequestID') ?? parameter(call, 'id'))
    const problem = request === undefined ? new ApiError('UNAUTHORIZED') : error
    const { status } = problem
    if (request === undefined) return pages.failure(problem, status)
    return call.http.path === paths.totp
      ? pages.code(request, {}, problem, status)
      : pages.password(request, { problem, status, username: usernameOf(call) })
  }
}

function wantedKind({ http }: OidcCall): AnswerKind {
  const accept = http.header('accept')
  try {
    return preferredType(accept, ['application/json', 'text/html']) === 'text/html' ? 'page' : 'json'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new LoginError(406, 'NOT_ACCEPTABLE', 'answers come as application/json or text/html')
  }
}

function usernameOf({ body }: OidcCall): string | undefined {
  const username = body.kind === 'form' ? body.form.get('username') : undefined
  return username && username.length <= LONGEST_CREDENTIAL ? username : undefined
}
