/** Who is at the other end of a connection: its leaf, which must chain to the network's authorities. */
import { Certificate, type Identity, verifyChain } from '@weft/pki'
import { type Connection, HelloRefusal } from '@weft/wire'

/** Throws `HelloRefusal`. */
export function trustedLeaf(
  { certificates }: Pick<Connection, 'certificates'>,
  { caBundle: roots }: Pick<Identity, 'caBundle'>,
  at: number,
): Certificate {
  const [first, ...sent] = certificates
  if (first === undefined) throw new HelloRefusal('no client certificate')
  let leaf: Certificate
  let intermediates: Certificate[]
  try {
    leaf = Certificate.fromDer(first)
    intermediates = sent.map((der) => Certificate.fromDer(der))
  } catch {
    throw new HelloRefusal('the client certificate cannot be read')
  }
  const verdict = verifyChain({ leaf, intermediates, roots, at })
  if (!verdict.isTrusted) throw new HelloRefusal(`the client certificate is not trusted: ${verdict.message}`)
  return leaf
}
