/** Which of the server certificates signs: the one that clients meet at an address, because they verify with its key. */
import { type Identity, TokenSigner } from '@weft/pki'

/** `address` is host and port. */
export function signerForAddress({ servers }: Identity, address: string): TokenSigner {
  const host = new URL(`https://${address}`).hostname.replace(/^\[|\]$/g, '')
  const server = servers.find(({ certificate }) => certificate.coversHost(host)) ?? servers[0]
  if (server === undefined) throw new Error('the identity has no server certificate')
  return new TokenSigner(server)
}
