/**
 * `POST /authenticate`: from credentials to an API session.
 */
import { externalChallenge, unauthorized } from '../../auth/challenges.ts'
import { type ClientInfo, openSession, ownSessionRecord } from '../../auth/open-session.ts'
import type { AuthQuery } from '../../auth/outstanding-factors.ts'
import { type Login, LoginRefused, type PasswordLogin } from '../../auth/password-login.ts'
import type { SessionActivity } from '../../auth/session-activity.ts'
import { ApiError, refusal } from '../../operation/api-error.ts'
import type { Call, Operation } from '../../operation/operation.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import {
  couldNotParse,
  listShape,
  objectShape,
  optional,
  secretShape,
  textShape,
  WrongTypeError,
} from '../../resource-kit/shapes.ts'
import type { View } from '../../state/view.ts'

export interface AuthenticateDeps {
  readonly kit: Kit
  readonly passwords: PasswordLogin
  readonly activity: SessionActivity
  /** Milliseconds. */
  readonly sessionTimeout: number
  readonly onLogin: (event: LoginEvent) => void
}

/** What became of a login, for the event stream. */
export interface LoginEvent {
  readonly isSuccess: boolean
  readonly method: string
  readonly identityId: string | undefined
  readonly authenticatorId: string | undefined
  readonly reason: string | undefined
  readonly remoteAddress: string
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
      parameters: [{ name: 'method', kind: { oneOf: ['password', 'cert', 'ext-jwt'] }, isRequired: true }],
      body: { name: 'auth', isRequired: false, schema: credentialsShape.schema, decode: readCredentials },
      handle: (call: Call<Credentials | undefined>) => authenticate(deps, call),
    },
  ]
}

async function authenticate(deps: AuthenticateDeps, call: Call<Credentials | undefined>) {
  const { kit, activity, onLogin } = deps
  const method = call.query.get('method')!
  const event = { method, remoteAddress: call.remoteAddress }
  try {
    const login = await primaryFactor(deps, method, call)
    const session = await kit.write(call, (change) =>
      openSession(change, login, clientInfo(call.body), call.remoteAddress),
    )
    activity.touch(session.id)
    onLogin({ ...event, isSuccess: true, reason: undefined, ...login })
    const record = ownSessionRecord(deps, call, session)
    const headers = {
      ...secondaryChallenge(kit.view, record['authQueries'] as readonly AuthQuery[]),
      'zt-session': session.token,
      'expiration-seconds': String(record['expirationSeconds']),
      'expires-at': goTime(String(record['expiresAt'])),
    }
    return { status: 200, body: { data: record, meta: {} }, headers }
  } catch (error) {
    if (error instanceof LoginRefused) {
      const { reason, identityId, authenticatorId } = error
      onLogin({ ...event, isSuccess: false, reason, identityId, authenticatorId })
    }
    throw error
  }
}

/** Tells which token must accompany every further request. */
function secondaryChallenge(view: View, queries: readonly AuthQuery[]): Record<string, string> {
  const id = queries.find(({ typeId }) => typeId === 'EXT-JWT')?.['id']
  const signer = typeof id === 'string' ? view.get('externalJwtSigners', id) : undefined
  return signer === undefined ? {} : { 'www-authenticate': externalChallenge('secondary', 'missing', [signer]) }
}

async function primaryFactor(
  { kit, passwords }: AuthenticateDeps,
  method: string,
  call: Call<Credentials | undefined>,
): Promise<Login> {
  if (method === 'cert') throw new LoginRefused('no certificate was accepted')
  if (method === 'ext-jwt') throw externalTokenRefused(kit.view, call)
  const { username, password } = call.body ?? {}
  if (!username || !password) throw refusal('COULD_NOT_VALIDATE', 'username and password fields are required')
  return passwords.login(username, password)
}

/** More would not fit into a header that clients accept. */
const MOST_SIGNERS = 32

/** No external token is accepted yet; which signers could have issued one is told all the same. */
function externalTokenRefused(view: View, call: Call): ApiError {
  const signers = [
    ...view
      .rows('externalJwtSigners')
      .filter(({ enabled }) => enabled)
      .take(MOST_SIGNERS),
  ]
  if (signers.length === 0) return new ApiError('UNAUTHORIZED')
  const isPresented = call.headerLines('authorization').some((line) => line.startsWith('Bearer '))
  return unauthorized(externalChallenge('primary', isPresented ? 'invalid' : 'missing', signers))
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
    if (error instanceof WrongTypeError) throw couldNotParse('auth', error)
    throw error
  }
}

/** `2026-08-22 13:33:03.1 +0000 UTC`: the form in which peers send this header. */
function goTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 23)} +0000 UTC`
}
