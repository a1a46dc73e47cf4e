/**
 * What every API that knows sessions serves: logging in, one's own session, identity and credentials. The same on all of
 * them, so that a session begun on one can be used on the other.
 */
import type { Logins } from '../auth/logins.ts'
import type { PasswordHasher } from '../auth/password-hash.ts'
import type { SessionActivity } from '../auth/session-activity.ts'
import type { NetworkTokens } from '../auth/tokens/network-tokens.ts'
import type { Operation } from '../operation/operation.ts'
import type { ApiDeps } from './api-settings.ts'
import type { LoginEvent } from './login-event.ts'
import { authenticateOperations } from './management/authenticate.ts'
import { currentIdentityOperations } from './management/current-identity.ts'
import { currentSessionOperations } from './management/current-session.ts'
import { extendCertificateOperations } from './management/extend-certificate.ts'
import { type MfaDeps, mfaOperations } from './management/mfa.ts'

export interface SessionDeps extends ApiDeps {
  readonly hasher: PasswordHasher
  readonly activity: SessionActivity
  readonly logins: Logins
  readonly tokens: Pick<NetworkTokens, 'signTotp'>
  readonly events: ApiDeps['events'] & { login(event: LoginEvent): void }
}

export interface SessionOptions {
  readonly sessions: { readonly sessionTimeout: number }
  readonly totpIssuer: string
}

/** `noQrCodeType`: the peers' APIs differ in the media type by which they tell that there is no QR code. */
export function sessionOperations(
  deps: SessionDeps,
  options: SessionOptions & Pick<MfaDeps, 'noQrCodeType'>,
): Operation[] {
  const { core, clock, hasher, activity, logins, events, signer, tokens } = deps
  const { kit } = core
  const { passwords, secondFactor: factor } = logins
  const { sessionTimeout } = options.sessions
  return [
    ...authenticateOperations({ kit, logins, activity, sessionTimeout, onLogin: (event) => events.login(event) }),
    ...mfaOperations({ ...options, kit, factor }),
    ...currentSessionOperations({ kit, clock, activity, sessionTimeout, factor, tokens }),
    ...currentIdentityOperations({ kit, passwords, hasher }),
    ...extendCertificateOperations({ kit, signer }),
  ]
}
