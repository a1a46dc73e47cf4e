/**
 * External JWT signers: identity providers whose tokens log identities in.
 *
 * A signer decides who somebody is, administrators included, so holding its permission is as good as being one. Its keys
 * come from one certificate or from a JWKS endpoint, never both. The endpoint is fetched by the controller, which is why
 * where it may point is checked as soon as it is written.
 */
import { type Certificate, PkiError, parseCertificates } from '@weft/pki'
import { hostAddress, isForbiddenAddress } from '../auth/forbidden-addresses.ts'
import { timestamp } from '../clock.ts'
import { ApiError, fieldError } from '../operation/api-error.ts'
import type { Change } from '../resource-kit/change.ts'
import {
  defineFields,
  flag,
  isNotEmpty,
  listOf,
  optionalText,
  type RowOf,
  reference,
  serverSet,
  text,
  uniqueName,
} from '../resource-kit/fields.ts'
import { defineResource } from '../resource-kit/resource.ts'
import { textShape } from '../resource-kit/shapes.ts'
import type { Row } from '../state/row.ts'
import { defaultAuthPolicyId } from './auth-policies.ts'
import { invalidField } from './invalid-field.ts'

const SUBJECT = '/sub'
/** How the peers write a time that is not there. */
const NO_TIME = '0001-01-01T00:00:00.000Z'

const inUniqueIndex = (value: string, table: string) => `duplicate value '${value}' in unique index on ${table} store`
const orSubject = (pointer: string) => pointer || SUBJECT

const fields = defineFields({
  name: uniqueName(),
  certPem: optionalText({ symbol: true, normalise: (pem) => pem || null }),
  fingerprint: serverSet<string | null>(null, {
    symbol: true,
    derive: (row) => certificateOf(row)?.fingerprint ?? null,
    unique: { reason: inUniqueIndex },
  }),
  commonName: serverSet('', { symbol: true, derive: (row) => certificateOf(row)?.commonName ?? '' }),
  notBefore: serverSet(NO_TIME, {
    symbol: true,
    symbolType: 'datetime',
    derive: (row) => timeOf(certificateOf(row)?.notBefore),
  }),
  notAfter: serverSet(NO_TIME, {
    symbol: true,
    symbolType: 'datetime',
    derive: (row) => timeOf(certificateOf(row)?.notAfter),
  }),
  jwksEndpoint: optionalText({ format: 'uri', holds: mayBeFetched }),
  issuer: text({
    required: 'on create and put',
    symbol: true,
    holds: isNotEmpty,
    unique: { reason: inUniqueIndex },
  }),
  audience: text({ required: 'on create and put', symbol: true, holds: isNotEmpty }),
  enabled: flag({ required: 'on create and put', symbol: true }),
  kid: optionalText({ symbol: true, unique: { reason: inUniqueIndex } }),
  claimsProperty: text({ default: SUBJECT, normalise: orSubject, symbol: true }),
  useExternalId: flag({ symbol: true }),
  externalAuthUrl: optionalText({ normalise: (url) => url || null, holds: mayBeOpened }),
  clientId: optionalText({ symbol: true }),
  scopes: listOf(textShape(), { symbol: true, isNullWhenEmpty: true, normalise: distinctSorted }),
  targetToken: text({ oneOf: ['ACCESS', 'ID'], default: 'ACCESS', symbol: true }),
  enrollToCertEnabled: flag({ shown: 'when set', symbol: true }),
  enrollToTokenEnabled: flag({ shown: 'when set', symbol: true }),
  enrollAuthPolicyId: reference('authPolicies', {
    onTargetDeleted: 'refuse',
    default: defaultAuthPolicyId,
    normalise: (id) => id.trim() || defaultAuthPolicyId,
    symbol: true,
  }),
  enrollNameClaimsSelector: text({ default: SUBJECT, normalise: orSubject, symbol: true }),
  enrollAttributeClaimsSelector: text({ shown: 'when set', symbol: true }),
})

export type ExternalJwtSigner = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    externalJwtSigners: ExternalJwtSigner
  }
}

export const externalJwtSigners = defineResource({
  collection: 'external-jwt-signers',
  singular: 'externalJwtSigner',
  table: 'externalJwtSigners',
  permission: 'external-jwt-signer',
  fields,
  follow: [isUnusedWhenDeleted],
})

/** One parse for the four fields that follow from it. */
const parsed = new WeakMap<object, Certificate>()

function certificateOf(row: Readonly<Record<string, unknown>>): Certificate | undefined {
  const { certPem, jwksEndpoint } = row as Pick<ExternalJwtSigner, 'certPem' | 'jwksEndpoint'>
  checkSourceOfKeys(certPem, jwksEndpoint)
  if (certPem === null) return undefined
  let certificate = parsed.get(row)
  if (certificate === undefined) {
    certificate = onlyCertificate(certPem)
    parsed.set(row, certificate)
  }
  return certificate
}

function checkSourceOfKeys(certPem: string | null, jwksEndpoint: string | null): void {
  if (certPem === null && jwksEndpoint === null) {
    throw invalidField('certPem', '<nil>', 'jwksEndpoint or certPem is required')
  }
  if (certPem !== null && jwksEndpoint !== null) {
    throw invalidField('jwksEndpoint', jwksEndpoint, 'only one of jwksEndpoint or certPem may be defined')
  }
}

function onlyCertificate(pem: string): Certificate {
  try {
    const certificates = parseCertificates(pem)
    if (certificates.length === 1) return certificates[0]!
  } catch (error) {
    if (!(error instanceof PkiError)) throw error
    throw new ApiError('INVALID_CERT_PEM', { origin: error })
  }
  throw new ApiError('INVALID_CERT_PEM')
}

function timeOf(milliseconds: number | undefined): string {
  return milliseconds === undefined ? NO_TIME : timestamp(milliseconds)
}

function mayBeFetched(endpoint: string | null): void {
  if (endpoint === null) return
  const url = URL.parse(endpoint)
  const scheme = url?.protocol.slice(0, -1) ?? ''
  if (url === null || (scheme !== 'http' && scheme !== 'https')) {
    const reason = `invalid jwks endpoint scheme ${scheme}, only http and https are supported`
    throw invalidField('jwksEndpoint', endpoint, reason)
  }
  const address = hostAddress(url)
  if (!isForbiddenAddress(address)) return
  const kind = 'it is a metadata, link-local or unspecified address'
  throw invalidField('jwksEndpoint', endpoint, `jwks endpoint address ${address} is not permitted, ${kind}`)
}

/** Clients open it in a browser, so it must lead to a web page. */
function mayBeOpened(url: string | null, at: string): void {
  if (!url || /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return
  throw fieldError(at, `${at} must be an http or https URL`, url)
}

/** Auth policies name signers inside their factors, where the kit does not see references. */
function isUnusedWhenDeleted(
  change: Change,
  next: ExternalJwtSigner | undefined,
  before: ExternalJwtSigner | undefined,
): void {
  if (next !== undefined || before === undefined) return
  const policies = [...change.view.rows('authPolicies')]
  const allowing = policies.filter(({ primary }) => primary.extJwt.allowedSigners.includes(before.id))
  if (allowing.length > 0) {
    throw inUse('primary.extJwt.allowedSigners', 'externalJwtSigners referenced by authPolicies', allowing)
  }
  const requiring = policies.filter(({ secondary }) => secondary.requireExtJwtSigner === before.id)
  if (requiring.length > 0) {
    throw inUse('secondary.requireExtJwtSigner', 'externalJwtSigner referenced by authPolicy', requiring)
  }
}

const MOST_SHOWN = 10

function inUse(field: string, relation: string, policies: readonly Row[]): ApiError {
  const shown = policies.slice(0, MOST_SHOWN).map(({ id }) => id)
  const value = `[${shown.join(' ')}]`
  return new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', {
    cause: { field, reason: `entity type ${relation}: ${value}`, value },
  })
}

function distinctSorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort()
}
