/**
 * `POST /authenticate`: from credentials to an API session. The same on every API that knows sessions.
 */
import { bearerTokens } from '../../auth/bearer-tokens.ts'
import { externalChallenge } from '../../auth/challenges.ts'
import { isAdmin, type Login, LoginRefused } from '../../auth/login.ts'
import type { Logins } from '../../auth/logins.ts'
import { type ClientInfo, openSession, ownSessionRecord } from '../../auth/open-session.ts'
import { type AuthQuery, requiredSignerId } from '../../auth/outstanding-factors.ts'
import type { SessionActivity } from '../../auth/session-activity.ts'
import { refusal, unparsableBody } from '../../operation/api-error.ts'
import type { Answer, Call, Operation } from '../../operation/operation.ts'
import type { Change } from '../../resource-kit/change.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { listShape, objectShape, optional, secretShape, textShape, WrongTypeError } from '../../resource-kit/shapes.ts'
import type { View } from '../../state/view.ts'
import { type LoginEvent, loginEvent } from '../login-event.ts'

export interface AuthenticateDeps {
  readonly kit: Kit
  readonly logins: Logins
  readonly activity: SessionActivity
  /** Milliseconds. */
  readonly sessionTimeout: number
  readonly onLogin: (event: LoginEvent) => void
}

type Info = Readonly<Record<string, string>>
interface Credentials {
  readonly username: string | undefined
  readonly password: string | undefined
  readonly configTypes: readonly string[] | undefined
  readonly sdkInfo: Info | undefined
  readonly envInfo: Info | undefined
}

const info = (max: number) => optional(textShape({ max }))

const credentialsShape = objectShape({
  username: optional(textShape({ min: 4, max: 100 })),
  password: optional(secretShape({ min: 5, max: 100 })),
  configTypes: optional(listShape(textShape({ max: 4_096 }))),
  sdkInfo: optional(
    objectShape({
      type: info(255),
      version: info(255),
      branch: info(255),
      revision: info(255),
      appId: info(255),
      appVersion: info(255),
    }),
  ),
  envInfo: optional(
    objectShape({
      os: info(255),
      arch: info(255),
      osRelease: info(255),
      osVersion: info(255),
      domain: info(253),
      hostname: info(253),
    }),
  ),
})

export function authenticateOperations(deps: AuthenticateDeps): Operation[] {
  return [
    {
      operationId: 'authenticate',
      method: 'POST',
      path: '/authenticate',
      access: 'anyone',
      isOfCrowds: true,
      parameters: [{ name: 'method', kind: { oneOf: ['password', 'cert', 'ext-jwt'] }, isRequired: true }],
      body: { name: 'auth', isRequired: false, schema: credentialsShape.schema, decode: readCredentials },
      handle: (call: Call<Credentials | undefined>) => authenticate(deps, call),
    },
  ]
}

async function authenticate(deps: AuthenticateDeps, call: Call<Credentials | undefined>): Promise<Answer> {
  const { kit, logins, onLogin } = deps
  const about = { method: call.query.get('method')!, remoteAddress: call.remoteEnd }
  try {
    const login = await primaryFactor(deps, about.method, call)
    return await logins.window.hold({ isAdmin: isAdmin(kit.view, login) }, async () => {
      const answer = await open(deps, call, login)
      onLogin(loginEvent(about, login))
      return answer
    })
  } catch (error) {
    if (error instanceof LoginRefused) onLogin(loginEvent(about, error))
    throw error
  }
}

async function open(deps: AuthenticateDeps, call: Call<Credentials | undefined>, login: Login): Promise<Answer> {
  const { kit, activity } = deps
  const info = clientInfo(call.body)
  const enter = (change: Change) => openSession(change, login, info, call.remoteAddress)
  const session = await kit.write(call, enter, { table: 'identities', id: login.identityId })
  activity.touch(session.id)
  const record = ownSessionRecord(deps, call, session, await secondFactor(deps, login.identityId, call))
  const headers = {
    ...secondaryChallenge(kit.view, record['authQueries'] as readonly AuthQuery[]),
    ...(record['isCertExtendRequested'] === true && { 'ziti-authenticator-extend-requested': 'true' }),
    'zt-session': session.token,
    'expiration-seconds': String(record['expirationSeconds']),
    'expires-at': goTime(String(record['expiresAt'])),
  }
  return { status: 200, body: { data: record, meta: {} }, headers }
}

/** The signer that the policy asks for, if one of its tokens came along with the login and names the same identity. */
async function secondFactor({ kit, logins }: AuthenticateDeps, identityId: string, call: Call) {
  const signerId = requiredSignerId(kit.view, identityId)
  if (signerId === undefined) return undefined
  const isConfirmed = await logins.externalTokens.isConfirmedBy(signerId, identityId, bearerTokens(call))
  return isConfirmed ? signerId : undefined
}

/** Tells which token must accompany every further request. */
function secondaryChallenge(view: View, queries: readonly AuthQuery[]): Record<string, string> {
  const id = queries.find(({ typeId }) => typeId === 'EXT-JWT')?.['id']
  const signer = typeof id === 'string' ? view.get('externalJwtSigners', id) : undefined
  return signer === undefined ? {} : { 'www-authenticate': externalChallenge('secondary', 'missing', [signer]) }
}

function primaryFactor(
  { logins }: AuthenticateDeps,
  method: string,
  call: Call<Credentials | undefined>,
): Login | Promise<Login> {
  if (method === 'cert') return logins.certificates.login(call.clientCertificates())
  if (method === 'ext-jwt') return logins.externalTokens.login(bearerTokens(call))
  const { username, password } = call.body ?? {}
  if (!username || !password) throw refusal('COULD_NOT_VALIDATE', 'username and password fields are required')
  return logins.passwords.login(username, password)
}

function clientInfo(body: Credentials | undefined): ClientInfo {
  return {
    configTypes: body?.configTypes ?? [],
    sdkInfo: withValues(body?.sdkInfo),
    envInfo: withValues(body?.envInfo),
  }
}

function withValues(info: Info | undefined): Info | undefined {
  return info && Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined && value !== ''))
}

/** Empty credentials are missing ones, whatever their length should be. */
function readCredentials(json: unknown): Credentials {
  try {
    const credentials = credentialsShape.read(json, '') as unknown as Record<string, unknown>
    for (const name of ['username', 'password']) if (credentials[name] === '') delete credentials[name]
    credentialsShape.check(credentials as never, '', false)
    return credentials as unknown as Credentials
  } catch (error) {
    if (error instanceof WrongTypeError) throw unparsableBody('auth', error.message)
    throw error
  }
}

/** `2026-08-22 13:33:03.1 +0000 UTC`: the form in which peers send this header. */
function goTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 23)} +0000 UTC`
}
