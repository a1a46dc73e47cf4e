/**
 * Renewing the certificate the caller has enrolled with: a new one is asked for over a connection that the present one has
 * proven, and takes its place once the caller has shown to have received it.
 */
import { type Certificate, PkiError, parseLeafCertificate, publicKeyPrint } from '@weft/pki'
import { ApiError } from '../../operation/api-error.ts'
import { empty } from '../../operation/envelope.ts'
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

interface Proof {
  readonly clientCert: string
}

export function extendCertificateOperations({ kit }: { readonly kit: Kit }): Operation[] {
  return [
    {
      operationId: 'extendCurrentIdentityAuthenticator',
      method: 'POST',
      path: '/current-identity/authenticators/{id}/extend',
      access: 'session',
      body: shapeContract('extend', requestShape),
      handle(call) {
        extendable(kit.view, call)
        // This controller does not issue certificates to identities yet.
        throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR')
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
function extendable(view: View, call: Call): Authenticator {
  const row = view.get('authenticators', call.params['id']!)
  if (row === undefined || row.identityId !== call.caller.identityId) throw new ApiError('NOT_FOUND')
  if (row.method !== 'cert') throw new ApiError('UNAUTHORIZED')
  if (!row.isIssuedByNetwork || row.certPem === null) throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR')
  const [leaf] = call.clientCertificates()
  // Whole certificates are compared: a fingerprint is a name, not a proof.
  if (leaf === undefined || !parseLeafCertificate(row.certPem).der.equals(leaf)) throw new ApiError('UNAUTHORIZED')
  return row
}

function takeOver(change: Change, row: Authenticator, shownPem: string): void {
  const shown = certificateFrom(shownPem)
  if (row.unverifiedCertPem === null || shown === undefined) throw new ApiError('INVALID_CLIENT_CERT')
  if (!parseLeafCertificate(row.unverifiedCertPem).equals(shown)) throw new ApiError('INVALID_CLIENT_CERT')
  change.update('authenticators', row.id, {
    certPem: row.unverifiedCertPem,
    certFingerprint: shown.fingerprint,
    publicKeyPrint: publicKeyPrint(shown.publicKey),
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
