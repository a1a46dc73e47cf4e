/** An application on this machine whose users sign in with OIDC: it listens where the login comes back to. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ApiClient, type Reply, type Server } from './api-client.ts'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const CLIENT = 'openziti'

/** A login that was begun: where the person must go, and what the application must keep until it comes back. */
export interface BegunLogin {
  readonly url: string
  readonly state: string
  readonly verifier: string
}

export class OidcApplication implements AsyncDisposable {
  readonly #http: HttpServer
  readonly #controller: Server
  readonly #oidc: ApiClient
  readonly #visits: URL[] = []

  private constructor(http: HttpServer, controller: Server) {
    this.#http = http
    this.#controller = controller
    this.#oidc = new ApiClient(controller, { base: '/oidc' })
    http.on('request', (request, response) => {
      this.#visits.push(new URL(request.url!, this.#address))
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>The application</title>')
    })
  }

  static async start(controller: Server): Promise<OidcApplication> {
    const http = createServer().listen(0, '127.0.0.1')
    await once(http, 'listening')
    return new OidcApplication(http, controller)
  }

  get #address(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  get #redirectUri(): string {
    return `${this.#address}/auth/callback`
  }

  /** Where people come back to when they have signed out; the controller must be told of it. */
  get logoutUri(): string {
    return `${this.#address}/goodbye`
  }

  begin(): BegunLogin {
    const verifier = randomBytes(32).toString('base64url')
    const state = randomBytes(8).toString('base64url')
    const asked = new URLSearchParams({
      client_id: CLIENT,
      response_type: 'code',
      scope: 'openid offline_access',
      redirect_uri: this.#redirectUri,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    return { url: `${this.#controller.url}/oidc/authorize?${asked}`, state, verifier }
  }

  /** Where a person is sent to sign out. */
  logoutUrl({ id_token }: Tokens, state: string): string {
    const back = { id_token_hint: id_token, post_logout_redirect_uri: this.logoutUri, state }
    return `${this.#controller.url}/oidc/end_session?${new URLSearchParams(back)}`
  }

  /** Takes the last visit that came back from the controller; there must have been one. */
  takeVisit(path: string): URLSearchParams {
    const at = this.#visits.findLastIndex(({ pathname }) => pathname === path)
    assert.ok(at >= 0, `nobody has come back to ${path}`)
    return this.#visits.splice(at, 1)[0]!.searchParams
  }

  /** The tokens for the code with which the person has come back. */
  async redeem({ state, verifier }: BegunLogin): Promise<Tokens> {
    const visit = this.takeVisit('/auth/callback')
    assert.equal(visit.get('state'), state)
    const code = visit.get('code') ?? ''
    const grant = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: this.#redirectUri }
    return tokensOf(await this.#token(grant))
  }

  refresh({ refresh_token }: Tokens): Promise<Reply> {
    return this.#token({ grant_type: 'refresh_token', refresh_token })
  }

  /** Asks the client API with the access token. */
  async currentIdentity({ access_token }: Tokens): Promise<Reply> {
    using client = new ApiClient(this.#controller, { base: '/edge/client/v1' })
    return await client.request('GET', '/current-identity', undefined, { authorization: `Bearer ${access_token}` })
  }

  #token(grant: Readonly<Record<string, string>>): Promise<Reply> {
    const form = new URLSearchParams({ client_id: CLIENT, ...grant })
    return this.#oidc.request('POST', '/oauth/token', `${form}`, FORM)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#oidc[Symbol.dispose]()
    this.#http.closeAllConnections()
    this.#http.close()
    await once(this.#http, 'close')
  }
}

/** The tokens in an answer, which must be a success. */
export function tokensOf({ status, text }: Reply): Tokens {
  assert.equal(status, 200, text)
  return JSON.parse(text) as Tokens
}
