/**
 * Renewing the certificate the caller has enrolled with: a new one is asked for over a connection that the present one has
 * proven, and takes its place once the caller has shown to have received it.
 */
import { type Certificate, PkiError, parseLeafCertificate, publicKeyPrint } from '@weft/pki'
import { readCertificateRequest } from '../../enroll/certificate-request.ts'
import type { NetworkSigner } from '../../enroll/network-signer.ts'
import { ApiError } from '../../operation/api-error.ts'
import { answerData, empty } from '../../operation/envelope.ts'
import type { Call, Operation } from '../../operation/operation.ts'
import type { Change } from '../../resource-kit/change.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { shapeContract } from '../../resource-kit/shape-contract.ts'
import { objectShape, required, textShape } from '../../resource-kit/shapes.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'

type Authenticator = TableRows['authenticators']

const requestShape = objectShape({ clientCertCsr: required(textShape()) })
const proofShape = objectShape({ clientCert: required(textShape()) })

interface Extension {
  readonly clientCertCsr: string
}

interface Proof {
  readonly clientCert: string
}

export interface ExtendDeps {
  readonly kit: Kit
  readonly signer: NetworkSigner
}

/** The same on both APIs. */
export function extendCertificateOperations({ kit, signer }: ExtendDeps): Operation[] {
  return [
    {
      operationId: 'extendCurrentIdentityAuthenticator',
      method: 'POST',
      path: '/current-identity/authenticators/{id}/extend',
      access: 'session',
      body: shapeContract('extend', requestShape),
      async handle(call: Call<Extension>) {
        const { certPem } = extendable(kit.view, call)
        const request = readCertificateRequest(call.body.clientCertCsr)
        const { certificate, chainPem: clientCert } = signer.extendIdentity(request, parseLeafCertificate(certPem))
        // The present one stays in force until the caller has shown the new one: an answer that is lost does no harm.
        const unverified = { unverifiedCertPem: clientCert, unverifiedFingerprint: certificate.fingerprint }
        await kit.write(call, (change) => change.update('authenticators', extendable(change.view, call).id, unverified))
        return answerData({ clientCert, ca: signer.authorities.pem })
      },
    },
    {
      operationId: 'extendVerifyCurrentIdentityAuthenticator',
      method: 'POST',
      path: '/current-identity/authenticators/{id}/extend-verify',
      access: 'session',
      body: shapeContract('extend', proofShape),
      async handle(call: Call<Proof>) {
        await kit.write(call, (change) => takeOver(change, extendable(change.view, call), call.body.clientCert))
        return empty
      },
    },
  ]
}

/** The caller's certificate authenticator, if the network has issued it and this very connection proves its key. */
function extendable(view: View, call: Call): Authenticator & { readonly certPem: string } {
  const row = view.get('authenticators', call.params['id']!)
  if (row === undefined || row.identityId !== call.caller.identityId) throw new ApiError('NOT_FOUND')
  if (row.method !== 'cert') throw new ApiError('UNAUTHORIZED')
  if (!row.isIssuedByNetwork || row.certPem === null) throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR')
  const [leaf] = call.clientCertificates()
  // Whole certificates are compared: a fingerprint is a name, not a proof.
  if (leaf === undefined || !parseLeafCertificate(row.certPem).der.equals(leaf)) throw new ApiError('UNAUTHORIZED')
  return { ...row, certPem: row.certPem }
}

function takeOver(change: Change, row: Authenticator, shownPem: string): void {
  if (row.unverifiedCertPem === null) throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR')
  const shown = certificateFrom(shownPem)
  if (shown === undefined || !parseLeafCertificate(row.unverifiedCertPem).equals(shown)) {
    throw new ApiError('INVALID_CLIENT_CERT')
  }
  const keyPrint = publicKeyPrint(shown.publicKey)
  change.update('authenticators', row.id, {
    certPem: row.unverifiedCertPem,
    certFingerprint: shown.fingerprint,
    publicKeyPrint: keyPrint,
    lastExtendRolledKeys: keyPrint !== row.publicKeyPrint,
    unverifiedCertPem: null,
    unverifiedFingerprint: null,
    isExtendRequested: false,
    isKeyRollRequested: false,
  })
}

function certificateFrom(pem: string): Certificate | undefined {
  try {
    return parseLeafCertificate(pem)
  } catch (error) {
    if (error instanceof PkiError) return undefined
    throw error
  }
}
