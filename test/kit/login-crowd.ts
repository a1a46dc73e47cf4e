/**
 * A crowd that logs in at the same moment, each member on a connection of its own. It lives in a thread of its own, so that
 * nobody else in the process is kept waiting by its handshakes.
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { ApiClient, type ClientCertificate, type ClientOptions, type Reply, type Server } from './api-client.ts'
import { clientApi } from './enrolled.ts'

/** Who they are. */
export interface CrowdOptions {
  readonly server: Server
  readonly size: number
  readonly certificates: readonly ClientCertificate[]
  readonly credentials: { readonly username: string; readonly password: string }
}

/** What became of a login: by which way it came, and the last answer. */
export interface CrowdOutcome {
  readonly way: 'certificate' | 'password' | 'OIDC'
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
}

const PATIENCE = 90_000
const REDIRECT = 'http://localhost:20314/auth/callback'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Half of them log in by certificate, a quarter by password, a quarter by certificate through OIDC. */
export async function logInAtOnce({ server: { url, ca }, ...options }: CrowdOptions): Promise<CrowdOutcome[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { server: { url, ca }, ...options } })
  const [outcomes] = await once(worker, 'message')
  return outcomes
}

class Crowd implements Disposable {
  readonly #credentials: CrowdOptions['credentials']
  readonly #clients = new DisposableStack()
  readonly #byCertificate: readonly ApiClient[]
  readonly #byOidc: readonly ApiClient[]
  readonly #byPassword: ApiClient

  constructor({ server, size, certificates, credentials }: CrowdOptions) {
    const client = (options: ClientOptions) =>
      this.#clients.use(new ApiClient(server, { connections: size, timeout: PATIENCE, ...options }))
    this.#credentials = credentials
    this.#byCertificate = certificates.map((certificate) => client({ base: clientApi, certificate }))
    this.#byOidc = certificates.map((certificate) => client({ base: '/oidc', certificate }))
    this.#byPassword = client({ base: clientApi })
  }

  async logIn(nth: number): Promise<CrowdOutcome> {
    const oidc = this.#byOidc[(nth >> 2) % this.#byOidc.length]!
    if (nth % 4 === 3) return outcome('OIDC', await throughOidc(oidc))
    const byCertificate = this.#byCertificate[(nth >> 1) % this.#byCertificate.length]!
    if (nth % 4 !== 1) return outcome('certificate', await byCertificate.post('/authenticate?method=cert'))
    return outcome('password', await this.#byPassword.post('/authenticate?method=password', this.#credentials))
  }

  [Symbol.dispose](): void {
    this.#clients.dispose()
  }
}

function outcome(way: CrowdOutcome['way'], { status, headers, text }: Reply): CrowdOutcome {
  return { way, status, retryAfter: headers['retry-after'], text }
}

/** From the authorization to the tokens; stops at the first answer that is not what it should be. */
async function throughOidc(client: ApiClient): Promise<Reply> {
  const verifier = randomBytes(32).toString('base64url')
  const asked = new URLSearchParams({
    client_id: 'openziti',
    response_type: 'code',
    scope: 'openid offline_access',
    redirect_uri: REDIRECT,
    state: 'storm',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    method: 'cert',
  })
  const authorized = await client.get(`/authorize?${asked}`)
  if (authorized.status !== 302) return authorized
  const id = authorized.headers.location!.split('authRequestID=')[1]!
  const loggedIn = await client.request('POST', '/login/cert', `id=${id}`, FORM)
  if (loggedIn.status !== 302) return loggedIn
  const called = await client.get(`/authorize/callback?id=${id}`)
  if (called.status !== 302) return called
  const grant = new URLSearchParams({
    client_id: 'openziti',
    grant_type: 'authorization_code',
    code: new URL(called.headers.location!).searchParams.get('code')!,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
  })
  return client.request('POST', '/oauth/token', `${grant}`, FORM)
}

if (!isMainThread && workerData?.credentials !== undefined) {
  using crowd = new Crowd(workerData)
  const logins = Array.from({ length: workerData.size }, (_, nth) => crowd.logIn(nth))
  parentPort!.postMessage(await Promise.all(logins))
}
