/**
 * The OIDC provider: one for all web servers of a controller, because a login may begin on one and end on another; only
 * the hosts it answers for differ.
 */

import type { Identity } from '@weft/pki'
import type { Logins } from '../../auth/logins.ts'
import type { OwnAccessTokens } from '../../auth/tokens/access-tokens.ts'
import type { ProofDeps } from '../../auth/tokens/proof-of-possession.ts'
import type { SigningKeys } from '../../auth/tokens/signing-keys.ts'
import { TokenIssuer, type TokenLives } from '../../auth/tokens/token-issuer.ts'
import type { TokenTimes } from '../../auth/tokens/token-times.ts'
import type { TokenVerifier } from '../../auth/tokens/token-verifier.ts'
import type { Clock } from '../../clock.ts'
import type { SessionCertificateIssuer } from '../../enroll/network-signer.ts'
import type { Answer } from '../../operation/operation.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { effectiveOidcSettings } from '../../resources/controller-settings.ts'
import type { BodyReader } from '../http/body-reader.ts'
import type { HttpLog, RequestHandler } from '../http/request-handler.ts'
import type { LoginEvent, TokensEvent } from '../login-event.ts'
import { json, plain } from './answers.ts'
import { AuthRequests } from './auth-requests.ts'
import { authorize, callback } from './authorize.ts'
import { discoveryDocument, paths } from './discovery.ts'
import { currentIssuerHosts, type IssuerOptions } from './issuers.ts'
import { type LoginMethod, login } from './login.ts'
import { LoginPages } from './login-pages.ts'
import { LoginSteps } from './login-steps.ts'
import { enroll, removeEnrollment, showCode, verifyEnrollment } from './login-totp.ts'
import { createOidcApi, type OidcRoute } from './oidc-api.ts'
import type { OidcCall } from './oidc-call.ts'
import { parameter } from './oidc-call.ts'
import { answered } from './person-or-program.ts'
import { nativeLogoutUris, nativeRedirectUris } from './redirect-uris.ts'
import { RotatedTokens } from './rotated-tokens.ts'
import { endSession, introspect, refuseDevice, revoke, type SessionEndDeps, userinfo } from './session-end.ts'
import { token } from './token.ts'
import type { TokenDeps } from './token-answer.ts'

export interface OidcProviderDeps extends ProofDeps {
  readonly kit: Kit
  readonly clock: Clock
  readonly log: HttpLog
  readonly bodies: BodyReader
  readonly logins: Logins
  readonly keys: SigningKeys
  readonly verifier: TokenVerifier
  readonly times: TokenTimes
  readonly accessTokens: OwnAccessTokens
  readonly sessionCertificates: SessionCertificateIssuer
  readonly onLogin: (event: LoginEvent) => void
  readonly onTokens: (event: TokensEvent) => void
}

export interface OidcProviderOptions {
  readonly controllerId: string
  readonly tokenLives: TokenLives
  readonly totpIssuer: string
}

/** How one web server serves the provider. */
export interface OidcBinding {
  readonly bindPoints: IssuerOptions['bindPoints']
  /** With the certificates it has at the moment. */
  readonly servers: () => Identity['servers']
  readonly redirectUris?: readonly string[]
  readonly postLogoutUris?: readonly string[]
  readonly allowedHostnames?: readonly string[]
}

export class OidcProvider {
  readonly #deps: OidcProviderDeps
  readonly #options: OidcProviderOptions
  readonly #requests: AuthRequests
  readonly #rotated: RotatedTokens
  readonly #pages = new LoginPages()

  constructor(deps: OidcProviderDeps, options: OidcProviderOptions) {
    this.#deps = deps
    this.#options = options
    this.#requests = new AuthRequests(deps.clock)
    this.#rotated = new RotatedTokens(deps.clock)
  }

  /** The handler for one web server. */
  handlerFor(binding: OidcBinding): RequestHandler {
    const { bodies, log } = this.#deps
    const { bindPoints, servers, allowedHostnames = [] } = binding
    const hosts = currentIssuerHosts({ bindPoints, allowedHostnames }, servers)
    return createOidcApi({ routes: this.#routes(binding), hosts, bodies, log })
  }

  #routes({ redirectUris = [], postLogoutUris = [] }: OidcBinding): OidcRoute[] {
    const { kit, keys, clock, verifier, times, logins, onLogin } = this.#deps
    const settings = () => effectiveOidcSettings(kit.view, this.#options.controllerId)
    const requests = this.#requests
    const pages = this.#pages
    const steps = new LoginSteps({ view: kit.view, pages })
    const loginDeps = { ...logins, kit, requests, steps, onLogin }
    const authorizeDeps = {
      requests,
      steps,
      redirectUris: () => [...nativeRedirectUris, ...redirectUris, ...(settings().redirectUris ?? [])],
    }
    const totpDeps = { kit, factor: logins.secondFactor, requests, steps, pages, totpIssuer: this.#options.totpIssuer }
    const tokens = new TokenIssuer({ keys, verifier, times, view: kit.view, clock }, this.#options.tokenLives)
    const tokenDeps: TokenDeps = { ...this.#deps, requests, tokens, rotated: this.#rotated }
    const endDeps: SessionEndDeps = {
      kit,
      verifier,
      accessTokens: this.#deps.accessTokens,
      rotated: this.#rotated,
      logoutUris: () => [...nativeLogoutUris, ...postLogoutUris, ...(settings().postLogoutUris ?? [])],
    }
    const ok = () => json({ status: 'ok' })
    const signIn = (path: string, method: LoginMethod): OidcRoute[] => [
      {
        methods: ['GET', 'POST'],
        path,
        handle: (call) =>
          call.http.method === 'GET'
            ? this.#loginPage(call, method)
            : answered(call, pages, requests, (kind) => login(loginDeps, call, method, kind)),
      },
    ]
    return [
      {
        methods: ['GET'],
        path: paths.discovery,
        handle: ({ issuer }) => json(discoveryDocument(issuer, keys.algorithm)),
      },
      { methods: ['GET'], path: paths.keys, handle: () => json({ keys: keys.published() }) },
      { methods: ['GET'], path: '/healthz', handle: ok },
      { methods: ['GET'], path: '/ready', handle: ok },
      { methods: ['GET', 'POST'], path: paths.authorize, handle: (call) => authorize(authorizeDeps, call) },
      { methods: ['GET'], path: paths.callback, handle: (call) => callback(authorizeDeps, call) },
      ...signIn(paths.loginUsername, 'password'),
      ...signIn(paths.loginPassword, 'password'),
      ...signIn(paths.loginCert, 'cert'),
      ...signIn(paths.loginExtJwt, 'ext-jwt'),
      {
        methods: ['POST'],
        path: paths.totp,
        handle: (call) => answered(call, pages, requests, (kind) => showCode(totpDeps, call, kind)),
      },
      {
        methods: ['POST', 'DELETE'],
        path: paths.totpEnroll,
        handle: (call) =>
          call.http.method === 'DELETE'
            ? removeEnrollment(totpDeps, call)
            : answered(call, pages, requests, (kind) => enroll(totpDeps, call, kind)),
      },
      {
        methods: ['POST'],
        path: paths.totpVerify,
        handle: (call) => answered(call, pages, requests, (kind) => verifyEnrollment(totpDeps, call, kind)),
      },
      { methods: ['GET'], path: paths.authQueries, handle: (call) => this.#authQueries(steps, call) },
      { methods: ['GET', 'POST'], path: paths.token, handle: (call) => token(tokenDeps, call) },
      { methods: ['GET', 'POST'], path: paths.userinfo, handle: (call) => userinfo(endDeps, call) },
      { methods: ['POST'], path: paths.revoke, handle: (call) => revoke(endDeps, call) },
      { methods: ['GET', 'POST'], path: paths.endSession, handle: (call) => endSession(endDeps, call) },
      { methods: ['GET'], path: paths.loggedOut, handle: () => plain(200, 'signed out successfully') },
      { methods: ['POST'], path: paths.introspect, handle: introspect },
      { methods: ['POST'], path: paths.deviceAuthorization, handle: refuseDevice },
    ]
  }

  /** People get a form; programs that log in otherwise only need the header. */
  #loginPage(call: OidcCall, method: LoginMethod): Answer {
    const id = parameter(call, 'authRequestID') ?? parameter(call, 'id') ?? ''
    const request = this.#requests.find(id)
    if (method === 'password') return this.#pages.password(request)
    return plain(200, 'please POST to this URL', { 'auth-request-id': request?.id ?? '' })
  }

  #authQueries(steps: LoginSteps, call: OidcCall): Answer {
    const request = this.#requests.find(parameter(call, 'id') ?? parameter(call, 'authRequestID'))
    return request === undefined ? plain(401, 'The authentication request failed\n') : steps.queries(request)
  }
}
