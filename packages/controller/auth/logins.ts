/**
 * The ways in, one of each for all APIs: failed attempts count wherever they are made, and keys are fetched once.
 */
import type { Clock } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import type { Kit } from '../resource-kit/kit.ts'
import { CertificateLogin } from './certificate-login.ts'
import type { CertificateTrust } from './certificate-trust.ts'
import { CodeAttempts } from './code-attempts.ts'
import { ExternalTokens } from './external-tokens.ts'
import { type DestinationRules, FetchDestinations } from './fetch-destinations.ts'
import { type FetchLimits, fetchJson } from './fetch-json.ts'
import { JwksCache } from './jwks-cache.ts'
import { LoginAttempts } from './login-attempts.ts'
import { LoginWindow, type LoginWindowOptions } from './login-window.ts'
import type { PasswordHasher } from './password-hash.ts'
import { PasswordLogin } from './password-login.ts'
import type { SecretSealer } from './sealed-secret.ts'
import { SecondFactor } from './second-factor.ts'

export interface LoginDeps {
  readonly kit: Kit
  readonly clock: Clock
  readonly log: Logger
  readonly hasher: PasswordHasher
  readonly sealer: SecretSealer
  readonly trust: CertificateTrust
  /** Whether a token's key id is that of a controller of the network. */
  readonly isControllerKey?: (keyId: string) => boolean
}

/** Where keys of external signers may be fetched from, and at what cost. */
export interface JwksFetchOptions extends DestinationRules, FetchLimits {}

export interface LoginOptions {
  readonly jwksFetch: JwksFetchOptions
  readonly loginWindow: LoginWindowOptions
}

export class Logins {
  readonly passwords: PasswordLogin
  readonly certificates: CertificateLogin
  readonly externalTokens: ExternalTokens
  /** How many of them may be let in at once. */
  readonly window: LoginWindow
  /** What may be asked for besides. */
  readonly secondFactor: SecondFactor

  constructor(deps: LoginDeps, options: LoginOptions) {
    const { kit, clock, log, hasher, sealer, trust, isControllerKey } = deps
    const { view } = kit
    const { jwksFetch, loginWindow } = options
    const destinations = new FetchDestinations(jwksFetch)
    const fetch = (endpoint: string) => fetchJson(endpoint, destinations, jwksFetch)
    const jwks = new JwksCache({ clock, log, fetch })
    this.passwords = new PasswordLogin({ kit, hasher, attempts: new LoginAttempts(), clock })
    this.certificates = new CertificateLogin({ view, trust, clock })
    this.externalTokens = new ExternalTokens({ view, jwks, clock, ...(isControllerKey && { isControllerKey }) })
    this.window = new LoginWindow(loginWindow, clock)
    this.secondFactor = new SecondFactor({ sealer, attempts: new CodeAttempts(clock) })
  }
}
