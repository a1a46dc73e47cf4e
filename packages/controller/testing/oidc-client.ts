/** A client that logs in by OIDC, step by step, as the SDKs do. */
import { createHash, randomBytes } from 'node:crypto'
import type { PasswordUser } from './password-user.ts'
import type { Answered, ClientCertificate, TestController } from './test-controller.ts'

const FORM = 'application/x-www-form-urlencoded'

export const REDIRECT_URI = 'http://localhost:20314/auth/callback'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly expires_in: number
  readonly session_cert?: string
}

/** A login that was begun. */
export interface Begun {
  readonly requestId: string
  readonly verifier: string
}

export interface Completed extends Begun {
  readonly code: string
}

export class OidcClient {
  readonly #controller: TestController
  readonly #clientId: string
  readonly #certificate: ClientCertificate | undefined

  constructor(controller: TestController, clientId = 'openziti', certificate?: ClientCertificate) {
    this.#controller = controller
    this.#clientId = clientId
    this.#certificate = certificate
  }

  ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answered> {
    return this.#controller.askOidc({ path, headers }, this.#certificate)
  }

  /** Posts a form. */
  post(path: string, form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
    const body = String(new URLSearchParams(form))
    return this.#controller.askOidc({ method: 'POST', path, body, contentType: FORM, headers }, this.#certificate)
  }

  authorize(changes: Readonly<Record<string, string>> = {}, verifier = newVerifier()): Promise<Answered> {
    const asked = {
      client_id: this.#clientId,
      response_type: 'code',
      scope: 'openid offline_access',
      redirect_uri: REDIRECT_URI,
      state: 'a state',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    }
    return this.ask(`/authorize?${new URLSearchParams(asked)}`)
  }

  async begin(changes: Readonly<Record<string, string>> = {}): Promise<Begun> {
    const verifier = newVerifier()
    const { headers } = await this.authorize(changes, verifier)
    return { requestId: headers.location?.split('authRequestID=')[1] ?? '', verifier }
  }

  password({ requestId }: Begun, user: PasswordUser, more: Readonly<Record<string, string>> = {}): Promise<Answered> {
    const { username, password } = user
    return this.post('/login/password', { id: requestId, username, password, ...more })
  }

  /** From the login to the code. */
  async finish(begun: Begun): Promise<Completed> {
    const { headers } = await this.ask(`/authorize/callback?id=${begun.requestId}`)
    return { ...begun, code: new URL(headers.location ?? '').searchParams.get('code') ?? '' }
  }

  async completed(user: PasswordUser, more: Readonly<Record<string, string>> = {}): Promise<Completed> {
    const begun = await this.begin()
    await this.password(begun, user, more)
    return this.finish(begun)
  }

  redeem({ code, verifier }: Completed, changes: Readonly<Record<string, string>> = {}): Promise<Answered> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT_URI,
      ...changes,
    })
  }

  token(form: Readonly<Record<string, string>>): Promise<Answered> {
    return this.post('/oauth/token', { client_id: this.#clientId, ...form })
  }

  refresh(refresh_token: string, more: Readonly<Record<string, string>> = {}): Promise<Answered> {
    return this.token({ grant_type: 'refresh_token', refresh_token, ...more })
  }

  exchange(subject_token: string, subject: string, requested: string): Promise<Answered> {
    const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`
    return this.token({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token,
      subject_token_type: type(subject),
      requested_token_type: type(requested),
    })
  }

  async tokens(user: PasswordUser, more: Readonly<Record<string, string>> = {}): Promise<Tokens> {
    const { json } = await this.redeem(await this.completed(user, more))
    return json as Tokens
  }

  /** Asks the client API with an access token. */
  asBearer(token: string, path = '/current-identity', method: 'GET' | 'DELETE' = 'GET'): Promise<Answered> {
    const headers = { authorization: `Bearer ${token}` }
    return this.#controller.askClient({ method, path, headers }, this.#certificate)
  }
}

/** The payload of a token, not verified. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into claims of every shape
export function claimsOf(token: string): any {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
}

function newVerifier(): string {
  return randomBytes(32).toString('base64url')
}
