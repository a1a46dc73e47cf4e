/**
 * New certificates for a router over its control channel. They count when the router has shown that it has them: until then
 * the old ones do, so that a lost message locks nobody out.
 */
import { type Certificate, PkiError, parseLeafCertificate } from '@weft/pki'
import { ApiError } from '../operation/api-error.ts'
import type { Change } from '../resource-kit/change.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { EnrollDeps } from './enroll-deps.ts'
import { certify, keep, type RouterCertificates, type RouterRequests, readRequests } from './router.ts'

export interface WantedRenewal {
  readonly routerId: string
  /** Of the leaf that the channel has shown. */
  readonly fingerprint: string | undefined
  readonly requests: RouterRequests
  /** Without proof the new certificates count at once. */
  readonly isProofRequired: boolean
}

/** Throws `ApiError` for what is wrong with the request. */
export async function renewRouter(
  { kit, signer }: Pick<EnrollDeps, 'kit' | 'signer'>,
  { routerId, fingerprint, requests, isProofRequired }: WantedRenewal,
): Promise<RouterCertificates> {
  const check = (view: Change['view']) => {
    const router = view.get('routers', routerId)
    if (router === undefined || router.fingerprint !== fingerprint || router.disabled)
      throw new ApiError('UNAUTHORIZED')
  }
  check(kit.view)
  const issued = certify(signer, routerId, readRequests(requests))
  await kit.writeAsController((change) => {
    check(change.view)
    if (!isProofRequired) return keep(change, routerId, issued)
    const { fingerprint: unverifiedFingerprint, pem: unverifiedCertPem } = issued.client.certificate
    change.update('routers', routerId, { unverifiedFingerprint, unverifiedCertPem })
  })
  return issued
}

export type RenewalRefusalCode =
  | 'COULD_NOT_UNMARSHAL'
  | 'MISSING_CLIENT_PEM'
  | 'INVALID_CLIENT_PEM'
  | 'INVALID_ROUTER_STATE'
  | 'ROUTER_NOT_FOUND'

/** Why a certificate was not confirmed, in the codes that routers know. */
export class RenewalRefusal extends Error {
  readonly code: RenewalRefusalCode

  constructor(code: RenewalRefusalCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RenewalRefusal'
    this.code = code
  }
}

/** The router has the certificate it was issued: it takes the place of the old one. Throws `RenewalRefusal`. */
export async function confirmRenewal(kit: Kit, routerId: string, clientCertPem: string): Promise<void> {
  if (clientCertPem === '') throw new RenewalRefusal('MISSING_CLIENT_PEM', 'no client certificate was shown')
  const shown = leafOf(clientCertPem)
  await kit.writeAsController((change) => {
    const router = change.view.get('routers', routerId)
    if (router === undefined) throw new RenewalRefusal('ROUTER_NOT_FOUND', 'the router is gone')
    const { unverifiedCertPem, unverifiedFingerprint } = router
    if (unverifiedCertPem === null) throw new RenewalRefusal('INVALID_ROUTER_STATE', 'no certificate waits for proof')
    if (!leafOf(unverifiedCertPem).equals(shown)) {
      throw new RenewalRefusal('INVALID_CLIENT_PEM', 'another certificate waits for proof')
    }
    change.update('routers', routerId, {
      isVerified: true,
      fingerprint: unverifiedFingerprint,
      certPem: unverifiedCertPem,
      unverifiedFingerprint: null,
      unverifiedCertPem: null,
    })
  })
}

function leafOf(pem: string): Certificate {
  try {
    return parseLeafCertificate(pem)
  } catch (error) {
    if (!(error instanceof PkiError)) throw error
    throw new RenewalRefusal('INVALID_CLIENT_PEM', 'no certificate can be read', { cause: error })
  }
}
