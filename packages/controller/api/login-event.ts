import { type Login, LoginRefused } from '../auth/login.ts'

/** What became of a login, by whichever API, for the event stream. */
export interface LoginEvent {
  readonly isSuccess: boolean
  readonly method: string
  readonly identityId: string | undefined
  readonly authenticatorId: string | undefined
  /** The external signer whose token it was. */
  readonly signerId: string | undefined
  readonly isImproperChain: boolean
  readonly reason: string | undefined
  readonly remoteAddress: string
}

/** That tokens were issued for a session of which nothing is stored. */
export interface TokensEvent {
  readonly type: 'created' | 'refreshed' | 'exchanged'
  readonly apiSessionId: string
  readonly identityId: string
  readonly remoteAddress: string
  readonly isCertGenerated: boolean
}

export function loginEvent(
  { method, remoteAddress }: Pick<LoginEvent, 'method' | 'remoteAddress'>,
  outcome: Login | LoginRefused,
): LoginEvent {
  const { identityId, authenticatorId, signerId } = outcome
  const isSuccess = !(outcome instanceof LoginRefused)
  return {
    isSuccess,
    method,
    identityId,
    authenticatorId,
    signerId,
    isImproperChain: isSuccess && outcome.certificate !== undefined && !outcome.certificate.isProperChain,
    reason: isSuccess ? undefined : outcome.reason,
    remoteAddress,
  }
}
