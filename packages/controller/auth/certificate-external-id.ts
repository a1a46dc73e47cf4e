/**
 * The external id that a certificate of a third-party CA carries, as the CA's claim says where to look.
 *
 * Of several places that match the claim's index chooses one; where there is none, the certificate carries no external id.
 */
import type { Certificate } from '@weft/pki'
import type { TableRows } from '../state/row.ts'

type Claim = NonNullable<TableRows['cas']['externalIdClaim']>

export function externalIdOf(certificate: Certificate, claim: Claim): string | undefined {
  const matching = places(certificate, claim.location).flatMap((text) => matched(text, claim))
  const parsed = claim.parser === 'SPLIT' ? matching.flatMap((text) => text.split(claim.parserCriteria)) : matching
  const id = parsed[claim.index]
  return id?.trim() ? id : undefined
}

function places({ commonName, names }: Certificate, location: string): readonly string[] {
  switch (location) {
    case 'COMMON_NAME':
      return commonName === '' ? [] : [commonName]
    case 'SAN_URI':
      return names.uri
    case 'SAN_EMAIL':
      return names.email
    default:
      return []
  }
}

/** What of a text the parser gets: without the prefix or suffix that it matched by, a URI as it is. */
function matched(text: string, { matcher, matcherCriteria: criteria }: Claim): readonly string[] {
  switch (matcher) {
    case 'ALL':
      return [text]
    case 'PREFIX':
      return text.startsWith(criteria) ? [text.slice(criteria.length)] : []
    case 'SUFFIX':
      return text.endsWith(criteria) ? [text.slice(0, text.length - criteria.length)] : []
    case 'SCHEME':
      return schemeOf(text) === criteria ? [text] : []
    default:
      return []
  }
}

function schemeOf(uri: string): string {
  return uri.slice(0, Math.max(uri.indexOf(':'), 0)).toLowerCase()
}
