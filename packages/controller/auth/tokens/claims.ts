/**
 * What the controller's tokens say. The names are part of the contract with routers and SDKs.
 *
 * An access token and the refresh token beside it tell the same of their session; they differ in type, life and id. C
 * clients read at most 4,095 bytes of payload, so what clients say of themselves is cut to fit.
 */
import type { TableRows } from '../../state/row.ts'

/** `z_t`: access, refresh, service session, proof of a second factor. ID tokens have none. */
export type TokenType = 'a' | 'r' | 's' | 't'

/** The clients of the provider; a token is meant for one of them. */
export const clientIds: ReadonlySet<string> = new Set(['openziti', 'native'])

type Info = Readonly<Record<string, string>>

/** What is told of a session, by every token of it. */
export interface SessionClaims {
  readonly sub: string
  readonly aud: readonly string[]
  readonly auth_time: number
  readonly client_id: string
  readonly amr: readonly string[]
  readonly scopes: readonly string[]
  readonly z_asid: string
  readonly z_eid?: string
  readonly z_ia?: true
  readonly z_ct?: readonly string[]
  readonly z_aid: string
  /** Fingerprints of the certificates one of which the bearer must prove to hold; null binds the token to nothing. */
  readonly z_cfs: readonly string[] | null
  readonly z_acf?: string
  readonly z_sdk: Info | null
  readonly z_env: Info | null
  readonly z_ra: string
  readonly z_ice: boolean
  readonly z_cae?: true
  readonly z_authid?: string
  readonly z_cer: boolean
  readonly z_ckrr: boolean
  readonly z_iccc: boolean
}

/** The payload of an access or a refresh token. Times are in seconds. */
export interface TokenClaims extends SessionClaims {
  readonly iss: string
  readonly exp: number
  readonly iat: number
  readonly nbf: number
  readonly jti: string
  readonly z_t: TokenType
}

/** The payload of an ID token. `z_asid` is ours: logging out by it ends one session, not all of an identity. */
export interface IdTokenClaims {
  readonly iss: string
  readonly sub: string
  readonly aud: readonly string[]
  readonly exp: number
  readonly iat: number
  readonly auth_time: number
  readonly nonce?: string
  readonly amr: readonly string[]
  readonly azp: string
  readonly client_id: string
  readonly at_hash?: string
  readonly c_hash?: string
  readonly name: string
  readonly z_ia: boolean
  readonly z_eid?: string
  readonly z_asid: string
}

const LONGEST_INFO_VALUE = 64
const MOST_CONFIG_TYPES = 48

/** What a client said of itself, as it goes into its tokens; empty values are left out. */
export function infoClaim(info: Info | undefined): Info | null {
  if (info === undefined) return null
  const values = Object.entries(info).filter(([, value]) => value !== '')
  return Object.fromEntries(values.map(([name, value]) => [name, value.slice(0, LONGEST_INFO_VALUE)]))
}

/** Config type ids; a list that would not fit becomes the word for all of them. */
export function configTypesClaim(ids: readonly string[]): readonly string[] | undefined {
  if (ids.length === 0) return undefined
  return ids.length > MOST_CONFIG_TYPES ? ['all'] : ids
}

/** What tokens tell of the identity itself; read anew whenever one is issued. */
export function identityClaims(identity: TableRows['identities']): Pick<SessionClaims, 'sub' | 'z_eid' | 'z_ia'> {
  const isAdmin = identity.isAdmin || identity.isDefaultAdmin
  return {
    sub: identity.id,
    ...(identity.externalId && { z_eid: identity.externalId }),
    ...(isAdmin && { z_ia: true as const }),
  }
}
