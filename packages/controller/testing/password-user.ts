/** Somebody who logs in with a password, made and logged in through the API. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Answered, TestController } from './test-controller.ts'

export interface PasswordUser {
  readonly identityId: string
  readonly authenticatorId: string
  readonly username: string
  readonly password: string
  /** Of the first login. */
  readonly token: string
}

export async function createPasswordUser(
  controller: TestController,
  values: Readonly<Record<string, unknown>> = {},
  password = 'correct horse',
): Promise<PasswordUser> {
  const username = randomUUID()
  const identity = { name: username, type: 'Default', isAdmin: false, ...values }
  const identityId = idOf(await controller.askAdmin('POST', '/identities', identity))
  const credentials = { identityId, method: 'updb', username, password }
  const authenticatorId = idOf(await controller.askAdmin('POST', '/authenticators', credentials))
  const { json } = await login(controller, username, password)
  return { identityId, authenticatorId, username, password, token: json.data.token }
}

export function login(controller: TestController, username: string, password: string): Promise<Answered> {
  return controller.ask({ method: 'POST', path: '/authenticate?method=password', body: { username, password } })
}

/** The id of what was created. */
export function idOf(answer: Answered): string {
  assert.equal(answer.status, 201, answer.text)
  return answer.json.data.id
}

/** An auth policy that differs from the default one in these members. */
export async function createAuthPolicy(
  controller: TestController,
  { updb = {}, secondary = {} }: { readonly updb?: object; readonly secondary?: object },
): Promise<string> {
  const { json } = await controller.askAdmin('GET', '/auth-policies/default')
  const { primary, secondary: defaults } = json.data
  const body = {
    name: randomUUID(),
    primary: { ...primary, updb: { ...primary.updb, ...updb } },
    secondary: { ...defaults, ...secondary },
  }
  return idOf(await controller.askAdmin('POST', '/auth-policies', body))
}

/** A session of an identity that has no credentials. */
export async function openSessionOf(controller: TestController, identityId: string): Promise<string> {
  const token = randomUUID()
  await controller.write((change) =>
    change.create('apiSessions', { token, identityId, lastActivityAt: change.now }, { idKind: 'cuid' }),
  )
  return token
}
