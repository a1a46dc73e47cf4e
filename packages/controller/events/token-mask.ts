/**
 * Tokens open doors, so events show a fingerprint of them: the first 16 hex digits of the SHA-256.
 *
 * Whoever holds a token can find the events about it; whoever reads the events cannot use what they see. The brand makes
 * a raw token in an event a type error.
 */
import { createHash } from 'node:crypto'

declare const masked: unique symbol

/** What events may show of a token. Only `maskToken` makes one. */
export type MaskedToken = string & { readonly [masked]: true }

const SHOWN_DIGITS = 16

/** The fingerprint of a token, `sha256:<16 hex digits>`; empty for no token. */
export function maskToken(token: string): MaskedToken {
  if (token === '') return '' as MaskedToken
  const digest = createHash('sha256').update(token).digest('hex')
  return `sha256:${digest.slice(0, SHOWN_DIGITS)}` as MaskedToken
}
