/**
 * Those who log in to a controller under measurement, made anew for every run: identities with a certificate, one with a
 * password, and sessions of tokens.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { createSecureContext, type SecureContext } from 'node:tls'
import { encodePrivateKey, generatePrivateKey, signCertificateRequest } from '@weft/pki'
import type { Contender } from './contender.ts'
import { drive } from './load/drive.ts'
import { createdId } from './network.ts'

export interface Crowd {
  readonly contender: Contender
  /** One for each connection, at least. */
  readonly certificates: readonly SecureContext[]
  readonly credentials: { readonly username: string; readonly password: string }
  /** Refresh tokens that nobody has used yet, one of each session. */
  readonly refreshTokens: string[]
  /** The request for the certificate of whoever enrolls. */
  readonly csr: string
}

export const CLIENT_API = '/edge/client/v1'
export const FORM = 'application/x-www-form-urlencoded'
export const PEM = 'application/x-pem-file'
export const CLIENT_ID = 'openziti'

const REDIRECT_URI = 'http://localhost:20314/auth/callback'

export async function gather(contender: Contender, size: number): Promise<Crowd> {
  const label = randomBytes(6).toString('hex')
  const key = await generatePrivateKey('P-256')
  const csr = signCertificateRequest({ subject: { commonName: 'bench' }, key })
  const certificates: SecureContext[] = []
  for (const token of await invite(contender, `crowd-${label}`, size)) {
    const cert = await enroll(contender, token, csr)
    certificates.push(createSecureContext({ cert, key: encodePrivateKey(key) }))
  }
  const credentials = { username: `crowd-${label}`, password: `password-${label}` }
  const body = { name: credentials.username, type: 'Default', isAdmin: false }
  const { data } = await contender.call<{ id: string }>('POST', '/identities', body)
  await contender.call('POST', '/authenticators', { method: 'updb', identityId: data.id, ...credentials })
  const refreshTokens: string[] = []
  for (let at = 0; at < size; at++) refreshTokens.push(await signIn(contender, credentials))
  return { contender, certificates, credentials, refreshTokens, csr }
}

/** Makes identities that may enroll with a one-time token, and answers the tokens. */
export async function invite(contender: Contender, label: string, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  const tokens: string[] = []
  const all = { connections: Math.min(count, 16) }
  let made = 0
  const creates = {
    next: () => {
      if (made >= count) return undefined
      const identity = { name: `${label}-${made++}`, type: 'Default', isAdmin: false, enrollment: { ott: true } }
      return contender.request('POST', '/identities', JSON.stringify(identity))
    },
    answered: (body: string) => {
      ids.push(createdId(body))
    },
  }
  await drive(contender.endpoint, creates, all, (run) => run())
  const reads = {
    next: () => (ids.length === 0 ? undefined : contender.request('GET', `/identities/${ids.pop()}`)),
    answered: (body: string) => {
      const { data } = JSON.parse(body) as { data: { enrollment: { ott: { token: string } } } }
      tokens.push(data.enrollment.ott.token)
    },
  }
  await drive(contender.endpoint, reads, all, (run) => run())
  return tokens
}

/** The path at which somebody enrolls. */
export function enrollPath(token: string): string {
  return `${CLIENT_API}/enroll?method=ott&token=${token}`
}

async function enroll(contender: Contender, token: string, csr: string): Promise<string> {
  const { body } = await ask(contender, 'POST', enrollPath(token), csr, PEM)
  return (JSON.parse(body) as { data: { cert: string } }).data.cert
}

/** From the authorization to the tokens; answers the refresh token. */
async function signIn(contender: Contender, credentials: Crowd['credentials']): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const asked = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    scope: 'openid offline_access',
    redirect_uri: REDIRECT_URI,
    state: 'bench',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    method: 'password',
  })
  const begun = await ask(contender, 'GET', `/oidc/authorize?${asked}`)
  const id = parameterOf(begun.headers, 'authRequestID')
  await ask(contender, 'POST', '/oidc/login/password', `${new URLSearchParams({ id, ...credentials })}`, FORM)
  const called = await ask(contender, 'GET', `/oidc/authorize/callback?id=${id}`)
  const grant = new URLSearchParams({
    client_id: CLIENT_ID,
    grant_type: 'authorization_code',
    code: parameterOf(called.headers, 'code'),
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
  })
  return refreshTokenOf((await ask(contender, 'POST', '/oidc/oauth/token', `${grant}`, FORM)).body)
}

/** The refresh token in an answer of the token endpoint. */
export function refreshTokenOf(body: string): string {
  return (JSON.parse(body) as { refresh_token: string }).refresh_token
}

function parameterOf({ location = '' }: IncomingHttpHeaders, name: string): string {
  return new URL(location, 'https://localhost').searchParams.get(name) ?? ''
}

/** One request, when time does not matter. Throws when it is refused. */
async function ask(contender: Contender, method: string, path: string, body?: string, contentType = FORM) {
  const { host, port } = contender.endpoint
  const { promise, resolve, reject } = Promise.withResolvers<{ headers: IncomingHttpHeaders; body: string }>()
  const headers = {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
  }
  const sent = request({ host, port, method, path, headers, rejectUnauthorized: false }, (response) => {
    text(response).then((answer) => {
      if (response.statusCode! < 400) resolve({ headers: response.headers, body: answer })
      else reject(new Error(`${contender.name}: ${method} ${path}: ${response.statusCode} ${answer}`))
    }, reject)
  })
  sent.on('error', reject)
  sent.end(body)
  return await promise
}
