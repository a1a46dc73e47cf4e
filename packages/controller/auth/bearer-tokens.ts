/**
 * The bearer tokens of a request. Several may come, an access token and the tokens of external signers in any order, each
 * in an `Authorization` line of its own.
 */
import type { Call } from '../operation/operation.ts'

const PREFIX = 'Bearer '
/** More are not looked at: each may cost a signature to check. */
const MOST_TOKENS = 3

export function bearerTokens(call: Pick<Call, 'headerLines'>): readonly string[] {
  return call
    .headerLines('authorization')
    .filter((line) => line.startsWith(PREFIX))
    .slice(0, MOST_TOKENS)
    .map((line) => line.slice(PREFIX.length).trim())
}
