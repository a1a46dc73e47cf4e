/**
 * Whoever holds a token of an external signer that lets its holders in enrolls by it: a new identity is made from what the
 * token says. With a certificate request it gets a certificate of the network, without one it logs in by such tokens.
 */
import type { CertificateRequest, IssuedCertificate } from '@weft/pki'
import { bearerTokens } from '../auth/bearer-tokens.ts'
import type { ExternalTokens, ExternalTokenVerdict } from '../auth/external-tokens.ts'
import { valueAt } from '../auth/json-pointer.ts'
import { ApiError, fieldError } from '../operation/api-error.ts'
import type { Call } from '../operation/operation.ts'
import { newId } from '../resource-kit/ids.ts'
import type { TableRows } from '../state/row.ts'
import { findOne, type View } from '../state/view.ts'
import { addCertificate } from './certificate-authenticator.ts'
import { readCertificateRequest } from './certificate-request.ts'
import type { EnrollDeps } from './enroll-deps.ts'

type Signer = TableRows['externalJwtSigners']
type Accepted = Extract<ExternalTokenVerdict, { readonly isAccepted: true }>

type Claims = Readonly<Record<string, unknown>>

export type TokenDeps = Omit<EnrollDeps, 'clock'> & { readonly externalTokens: Pick<ExternalTokens, 'verify'> }

/** The certificate, if one was asked for. */
export async function enrollToken(
  deps: TokenDeps,
  call: Call,
  clientCsr: string | undefined,
): Promise<IssuedCertificate | undefined> {
  const { kit, signer: network } = deps
  if (call.headerLines('authorization').length === 0) {
    throw fieldError('Authorization', 'Authorization in header is required')
  }
  const token = await firstAccepted(deps, call)
  if (token === undefined) throw new ApiError('INVALID_ENROLLMENT_TOKEN')
  const request = clientCsr ? readCertificateRequest(clientCsr) : undefined
  newIdentity(kit.view, token, request)
  const id = newId('short')
  // Before the transaction, where everybody waits for everybody.
  const issued = request && network.issueIdentity(request, id)
  await kit.write(call, (change) => {
    change.create('identities', newIdentity(change.view, token, request), { id })
    if (issued === undefined) return
    addCertificate(change, id, { certificate: issued.certificate, pem: issued.chainPem, isIssuedByNetwork: true })
  })
  return issued
}

/** Clients may send several, and say which signer theirs is of. */
async function firstAccepted({ externalTokens }: TokenDeps, call: Call): Promise<Accepted | undefined> {
  const wanted = call.header('ziti-token-issuer-id')
  for (const candidate of bearerTokens(call)) {
    const verdict = await externalTokens.verify(candidate)
    if (verdict.isAccepted && (wanted === undefined || wanted === verdict.signer.id)) return verdict
  }
  return undefined
}

/** The signer, if it and the policy of those it lets in allow what is asked for. */
function allowingSigner(view: View, id: string, request: CertificateRequest | undefined): Signer {
  const signer = view.get('externalJwtSigners', id)
  if (!signer?.enabled) throw new ApiError('INVALID_ENROLLMENT_TOKEN')
  const { primary } = view.get('authPolicies', signer.enrollAuthPolicyId) ?? {}
  const { allowed, allowedSigners } = primary?.extJwt ?? { allowed: false, allowedSigners: [] }
  const isAllowed =
    request === undefined
      ? signer.enrollToTokenEnabled && allowed && (allowedSigners.length === 0 || allowedSigners.includes(id))
      : signer.enrollToCertEnabled && primary?.cert.allowed
  if (!isAllowed) throw new ApiError('INVALID_ENROLLMENT_NOT_ALLOWED')
  return signer
}

/** What the token says of the identity it makes; refuses what may not be made. */
function newIdentity(view: View, { signer: { id }, claims }: Accepted, request: CertificateRequest | undefined) {
  const signer = allowingSigner(view, id, request)
  const externalId = textAt(claims, signer.claimsProperty)
  const name = textAt(claims, signer.enrollNameClaimsSelector)
  if (externalId === undefined || name === undefined) throw new ApiError('INVALID_ENROLLMENT_TOKEN')
  if (findOne(view, 'identities', 'externalId', externalId) !== undefined) {
    throw new ApiError('ENROLLMENT_IDENTITY_ALREADY_ENROLLED')
  }
  const roleAttributes = attributesAt(claims, signer.enrollAttributeClaimsSelector)
  return { name, externalId, roleAttributes, authPolicyId: signer.enrollAuthPolicyId }
}

function textAt(claims: Claims, selector: string): string | undefined {
  const value = valueAt(claims, selector)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** One or many; none where the token says nothing of them. */
function attributesAt(claims: Claims, selector: string): readonly string[] {
  const value = selector === '' ? undefined : valueAt(claims, selector)
  if (value === undefined || value === null) return []
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (!values.every((attribute) => typeof attribute === 'string')) throw new ApiError('INVALID_ENROLLMENT_TOKEN')
  return values.filter((attribute) => attribute !== '')
}
