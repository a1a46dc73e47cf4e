/**
 * Which part of a certificate names the identity that presents it, as a third-party CA declares it.
 *
 * A combination that could never yield anything is refused when it is written, not when somebody enrolls.
 */
import { integerShape, type MembersOf, required, textShape } from '../resource-kit/shapes.ts'
import { invalidField } from './invalid-field.ts'

const members = {
  location: required(textShape({ oneOf: ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] })),
  matcher: required(textShape({ oneOf: ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'] })),
  matcherCriteria: required(textShape({ max: 4_096 })),
  parser: required(textShape({ oneOf: ['NONE', 'SPLIT'] })),
  parserCriteria: required(textShape({ max: 4_096 })),
  index: required(integerShape()),
}

export const externalIdClaimMembers = members

export type ExternalIdClaim = MembersOf<typeof members>

/** What the parts of a claim are laid over when there was none. */
export const emptyExternalIdClaim: ExternalIdClaim = {
  location: '',
  matcher: '',
  matcherCriteria: '',
  parser: '',
  parserCriteria: '',
  index: 0,
}

const matchersOf: Readonly<Record<string, readonly string[]>> = {
  COMMON_NAME: ['ALL', 'PREFIX', 'SUFFIX'],
  SAN_EMAIL: ['ALL', 'PREFIX', 'SUFFIX'],
  SAN_URI: ['ALL', 'SCHEME'],
}

export function checkExternalIdClaim(claim: ExternalIdClaim): void {
  const { location, matcher, matcherCriteria, parser, parserCriteria, index } = claim
  if (index < 0)
    throw invalidField('externalIdClaim.index', String(index), 'index must be greater than or equal to zero')
  const refused = (reason: string) =>
    invalidField('externalIdClaim', `location=${location} matcher=${matcher} parser=${parser}`, reason)
  const matchers = matchersOf[location]
  if (matchers === undefined) {
    throw invalidField('externalIdClaim.location', location, `unsupported location [${location}]`)
  }
  if (!matchers.includes(matcher)) throw refused(`unsupported matcher [${matcher}] for location [${location}]`)
  if (matcher !== 'ALL' && matcherCriteria === '') throw refused(`invalid criteria [] for matcher [${matcher}]`)
  if (parser === '') throw refused(`unsupported parser [] for location [${location}]`)
  if (parser === 'SPLIT' && parserCriteria === '') throw refused(`invalid criteria [] for parser [${parser}]`)
}
