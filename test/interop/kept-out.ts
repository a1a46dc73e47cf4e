/** Logins of the program that must fail. */
import assert from 'node:assert/strict'
import type { InteropNetwork, SessionKind } from './interop-network.ts'

/** Asserts that a login fails: with a code of the API, or over OIDC, of which the SDK tells the status alone. */
export async function assertKeptOut(
  { client }: InteropNetwork,
  kind: SessionKind,
  flags: readonly string[],
  code: string,
): Promise<void> {
  const failed = await client.fails(['visit', ...flags, '--session', kind])
  if (kind === 'legacy') assert.equal(failed['code'], code)
  else assert.match(String(failed['message']), /status 401/)
}
