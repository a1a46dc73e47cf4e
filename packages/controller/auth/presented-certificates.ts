/**
 * The certificates of a TLS connection. Only the leaf counts, because only its key was proven; the others can help to build
 * the way to an authority.
 */
import { Certificate, PkiError } from '@weft/pki'

export interface PresentedCertificates {
  readonly leaf: Certificate
  readonly sent: readonly Certificate[]
}

/**
 * From DER, leaf first. Undefined when there is none, or a leaf that cannot be read. What is among the known ones is taken
 * from there: it has been parsed, and its signature checked, before.
 */
export function presentedCertificates(
  [first, ...others]: readonly Buffer[],
  known: readonly Certificate[] = [],
): PresentedCertificates | undefined {
  const leaf = first === undefined ? undefined : readable(first)
  if (leaf === undefined) return undefined
  const sent = others.map((der) => known.find((certificate) => certificate.der.equals(der)) ?? readable(der))
  return { leaf, sent: sent.filter((certificate) => certificate !== undefined) }
}

function readable(der: Buffer): Certificate | undefined {
  try {
    return Certificate.fromDer(der)
  } catch (error) {
    if (error instanceof PkiError) return undefined
    throw error
  }
}
