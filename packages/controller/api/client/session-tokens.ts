/**
 * The tokens by which routers recognise sessions.
 */
import type { ServiceSession } from '../../auth/tokens/network-tokens.ts'

export interface SessionTokens {
  signServiceSession(session: ServiceSession): string
  /** The session a token vouches for; undefined when it does not. */
  readServiceSession(token: string): ServiceSession | undefined
}
