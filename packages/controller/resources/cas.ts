/**
 * Certificate authorities of third parties, whose certificates identities may enroll and log in with.
 *
 * A CA counts for nothing until someone has shown to hold its key, by signing a certificate over the token that the
 * controller chose. Certificate and proof belong to the CA for good: no later write touches them.
 */
import { type Certificate, decodePem, PkiError, parseLeafCertificate, verifyChain } from '@weft/pki'
import { caCertificate } from '../auth/certificate-trust.ts'
import { ApiError, fieldError, refusal, unparsableBody } from '../operation/api-error.ts'
import { empty } from '../operation/envelope.ts'
import type { BodyContract, Call } from '../operation/operation.ts'
import { bodyContract, type Decoded, merged } from '../resource-kit/body-contracts.ts'
import type { Change } from '../resource-kit/change.ts'
import {
  attributes,
  defineFields,
  flag,
  optionalObject,
  type RowOf,
  serverSet,
  text,
  uniqueName,
} from '../resource-kit/fields.ts'
import { shortId } from '../resource-kit/ids.ts'
import { defineResource, type Resource } from '../resource-kit/resource.ts'
import { WrongTypeError } from '../resource-kit/shapes.ts'
import { checkExternalIdClaim, emptyExternalIdClaim, externalIdClaimMembers } from './external-id-claim.ts'

const DEFAULT_NAME_FORMAT = '[caName]-[commonName]'
const switches = { required: 'on create and put', symbol: true } as const

const fields = defineFields({
  // Before the name: a certificate that is known already is told first.
  fingerprint: serverSet('', {
    symbol: true,
    derive: ({ certPem }) => authorityFrom(certPem as string).fingerprint,
    unique: { field: 'certPem', reason: (_value, _table, _row, { id }) => `certificate already used as CA ${id}` },
  }),
  name: uniqueName({ wording: 'index' }),
  certPem: text({ required: 'on create', setBy: 'creator' }),
  isVerified: serverSet<boolean>(false, { symbol: true }),
  verificationToken: serverSet('', { symbol: true, derive: ({ verificationToken }) => verificationToken || shortId() }),
  isAuthEnabled: flag(switches),
  isAutoCaEnrollmentEnabled: flag(switches),
  isOttCaEnrollmentEnabled: flag(switches),
  /** Role attributes that identities get which enroll through this CA. */
  identityRoles: attributes({ required: 'on create and put', isNullWhenEmpty: true }),
  identityNameFormat: text({
    required: 'on put',
    default: DEFAULT_NAME_FORMAT,
    normalise: (format) => format || DEFAULT_NAME_FORMAT,
  }),
  externalIdClaim: optionalObject(externalIdClaimMembers, { shown: 'when set' }),
})

export type Ca = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    cas: Ca
  }
}

export interface CaDeps {
  /** The signed invitation with which holders of certificates of a CA enroll by themselves. */
  readonly inviteToCa: (caId: string) => string
}

export function cas({ inviteToCa }: CaDeps): Resource {
  return defineResource({
    collection: 'cas',
    singular: 'ca',
    table: 'cas',
    permission: 'ca',
    fields,
    verbs: ['list', 'create', 'detail', 'update', 'delete'],
    rules: [claimIsSupported],
    links: ({ id, isVerified, isAutoCaEnrollmentEnabled }) => ({
      ...(!isVerified && { verify: `./cas/${id}/verify` }),
      ...(isAutoCaEnrollmentEnabled && { jwt: `./cas/${id}/jwt` }),
    }),
    actions: [
      {
        method: 'PATCH',
        path: '/{id}',
        operationId: 'patchCa',
        needs: 'update',
        body: patchContract,
        async run(call: Call<Patch>, kit) {
          await kit.write((change) => patch(change, kit.row(change.view), call.body))
          return empty
        },
      },
      {
        method: 'POST',
        path: '/{id}/verify',
        operationId: 'verifyCa',
        needs: 'update',
        body: certificateContract,
        async run(call: Call<string>, kit) {
          await kit.write((change) => verify(change, call.params['id']!, call.body))
          return empty
        },
      },
      {
        method: 'GET',
        path: '/{id}/jwt',
        operationId: 'getCaJwt',
        needs: 'read',
        produces: ['application/jwt'],
        run(call, kit) {
          const ca = kit.view.get('cas', call.params['id']!)
          const contentType = 'application/jwt'
          if (ca === undefined) return { status: 404, body: '', contentType }
          return { status: 200, body: inviteToCa(ca.id), contentType }
        },
      },
    ],
  })
}

function authorityFrom(certPem: string): Certificate {
  if (certPem === '') throw new ApiError('CERTIFICATE_IS_NOT_CA')
  let certificate: Certificate
  try {
    certificate = parseLeafCertificate(certPem)
  } catch (error) {
    if (error instanceof PkiError) throw fieldError('certPem', 'could not parse block #1', certPem)
    throw error
  }
  if (!certificate.isCa) throw new ApiError('CERTIFICATE_IS_NOT_CA')
  return certificate
}

function claimIsSupported({ externalIdClaim }: Ca, before: Ca | undefined): void {
  if (externalIdClaim !== null && externalIdClaim !== before?.externalIdClaim) checkExternalIdClaim(externalIdClaim)
}

/** What a PATCH says, and whether it says so by leaving the claim out. */
interface Patch {
  readonly values: Decoded
  readonly isWithoutClaim: boolean
}

const fieldContract = bodyContract('ca', fields, 'patch')

const patchContract: BodyContract = {
  ...fieldContract,
  decode(json: unknown): Patch {
    const values = fieldContract.decode(json)
    const names = Object.keys(json as object)
    return { values, isWithoutClaim: names.length > 0 && !names.includes('externalIdClaim') }
  },
}

/**
 * Like every PATCH, but for the claim: leaving it out removes it, which is how the CLI of the peers takes one away (all
 * else it then sends is `"identityRoles":null`), and an empty object leaves it as it is. Only the parts that differ need
 * be given, of a first claim too.
 */
function patch(change: Change, ca: Ca, { values, isWithoutClaim }: Patch): void {
  const next: Record<string, unknown> = { ...merged(fields, ca as unknown as Decoded, values) }
  const part = values['externalIdClaim']
  if (isWithoutClaim) next['externalIdClaim'] = null
  else if (part !== undefined) {
    if (Object.keys(part as object).length === 0) delete next['externalIdClaim']
    else next['externalIdClaim'] = { ...emptyExternalIdClaim, ...(next['externalIdClaim'] as object) }
  }
  change.update('cas', ca.id, next)
}

/** The text of a PEM file, bare or as a JSON string. */
const certificateContract: BodyContract = {
  name: 'certificate',
  isRequired: true,
  alsoConsumes: ['text/plain'],
  decode(body) {
    if (typeof body !== 'string') throw unparsableBody('certificate', new WrongTypeError('', 'a string', body).message)
    return body
  },
}

function verify(change: Change, id: string, pem: string): void {
  const ca = change.view.get('cas', id)
  if (ca === undefined) throw new ApiError('NOT_FOUND')
  if (ca.isVerified) throw new ApiError('CA_ALREADY_VERIFIED')
  const proof = proofFrom(pem)
  if (proof.commonName !== ca.verificationToken) throw new ApiError('INVALID_COMMON_NAME')
  const verdict = verifyChain({ leaf: proof, roots: [caCertificate(ca)], at: Date.parse(change.now) })
  if (!verdict.isTrusted) throw refusal('CERTIFICATE_FAILED_VALIDATION', verdict.message)
  change.update('cas', id, { isVerified: true })
}

function proofFrom(pem: string): Certificate {
  const label = labelOf(pem)
  if (label !== 'CERTIFICATE') throw refusal('EXPECTED_PEM_CERTIFICATE', `encountered PEM block type ${label}`)
  try {
    return parseLeafCertificate(pem)
  } catch (error) {
    if (error instanceof PkiError) throw new ApiError('COULD_NOT_PARSE_DER_BLOCK', { origin: error })
    throw error
  }
}

function labelOf(pem: string): string {
  try {
    return decodePem(pem)[0]!.label
  } catch (error) {
    if (error instanceof PkiError) throw new ApiError('COULD_NOT_PARSE_BODY', { origin: error })
    throw error
  }
}
