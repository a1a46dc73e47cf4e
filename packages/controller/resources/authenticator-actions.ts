/**
 * What can be done to authenticators besides reading and deleting them.
 *
 * Passwords are hashed before the mutation, because that takes long; whatever else is decided is decided inside it.
 */
import { type Certificate, PkiError, parseCertificates, publicKeyPrint } from '@weft/pki'
import type { CertificateTrust } from '../auth/certificate-trust.ts'
import { changeCredentials } from '../auth/change-password.ts'
import { hashNewPassword } from '../auth/new-password.ts'
import type { PasswordHasher } from '../auth/password-hash.ts'
import { ApiError, fieldError, notFound, refusal } from '../operation/api-error.ts'
import { created, empty } from '../operation/envelope.ts'
import type { Call } from '../operation/operation.ts'
import { bodyContract, requestContract } from '../resource-kit/body-contracts.ts'
import type { Change } from '../resource-kit/change.ts'
import { defineFields, optionalText, password, text, time } from '../resource-kit/fields.ts'
import type { ActionKit, ResourceAction } from '../resource-kit/resource.ts'
import { shapeContract } from '../resource-kit/shape-contract.ts'
import { flagShape, objectShape, optional } from '../resource-kit/shapes.ts'
import type { Tags } from '../state/row.ts'
import type { Authenticator } from './authenticators.ts'
import { type InvitationSigner, issueEnrollment } from './enrollment-issuing.ts'
import { invalidField } from './invalid-field.ts'
import { refuseSecondAuthenticator } from './one-authenticator-per-method.ts'

export interface AuthenticatorActionDeps {
  readonly hasher: PasswordHasher
  readonly trust: CertificateTrust
  readonly invitations: InvitationSigner
}

/** User names wherever one is chosen. */
export const usernameLimits = { min: 4, max: 100 } as const

const createFields = defineFields({
  identityId: text({ required: 'on create' }),
  method: text({ required: 'on create' }),
  username: optionalText(usernameLimits),
  password: password(),
  certPem: optionalText(),
})

interface NewAuthenticator {
  readonly identityId: string
  readonly method: string
  readonly username?: string
  readonly password?: string
  readonly certPem?: string
  readonly tags?: Tags
}

/** What a password authenticator can be changed to. */
export const credentialFields = defineFields({
  username: text({ ...usernameLimits, required: 'on put' }),
  password: password({ required: 'on put' }),
})

export interface NewCredentials {
  readonly username?: string
  readonly password?: string
  readonly tags?: Tags
}

const extendShape = objectShape({ rollKeys: optional(flagShape, false) })

export function authenticatorActions(deps: AuthenticatorActionDeps): readonly ResourceAction<Authenticator>[] {
  const change = (call: Call<NewCredentials>, kit: ActionKit<Authenticator>) => replaceCredentials(deps, call, kit)
  return [
    {
      method: 'POST',
      path: '',
      operationId: 'createAuthenticator',
      needs: 'create',
      body: bodyContract('authenticator', createFields, 'create'),
      run: (call: Call<NewAuthenticator>, kit) => createAuthenticator(deps, call.body, kit),
    },
    {
      method: 'PUT',
      path: '/{id}',
      operationId: 'updateAuthenticator',
      needs: 'update',
      body: bodyContract('authenticator', credentialFields, 'update'),
      run: change,
    },
    {
      method: 'PATCH',
      path: '/{id}',
      operationId: 'patchAuthenticator',
      needs: 'update',
      body: bodyContract('authenticator', credentialFields, 'patch'),
      run: change,
    },
    {
      method: 'POST',
      path: '/{id}/re-enroll',
      operationId: 'reEnrollAuthenticator',
      needs: 'update',
      status: 201,
      body: requestContract('reEnroll', { expiresAt: time({ required: 'on create' }) }),
      async run(call: Call<{ readonly expiresAt: string }>, kit) {
        const { id } = await kit.write((write) => reEnroll(deps, write, kit.row(write.view), call.body.expiresAt))
        return created('enrollments', id)
      },
    },
    {
      method: 'POST',
      path: '/{id}/request-extend',
      operationId: 'requestExtendAuthenticator',
      needs: 'update',
      body: shapeContract('requestExtendAuthenticator', extendShape),
      async run(call: Call<{ readonly rollKeys: boolean }>, kit) {
        await kit.write((write) => requestExtend(write, kit.row(write.view), call.body.rollKeys))
        return empty
      },
    },
  ]
}

async function createAuthenticator(
  deps: AuthenticatorActionDeps,
  body: NewAuthenticator,
  kit: ActionKit<Authenticator>,
) {
  const { identityId, method, tags = {} } = body
  if (method !== 'updb' && method !== 'cert') throw fieldError('method', 'method must be updb or cert', method)
  const credential = method === 'updb' ? await passwordCredential(deps, body, kit) : certificateCredential(body)
  const row = await kit.write((change) => {
    refuseSecondAuthenticator(change, identityId, method)
    if ('certificate' in credential) refuseUntrusted(deps.trust, credential.certificate, change)
    return change.create('authenticators', { identityId, method, tags, ...credential.values })
  })
  return created('authenticators', row.id)
}

async function passwordCredential(
  { hasher }: AuthenticatorActionDeps,
  body: NewAuthenticator,
  { view }: ActionKit<Authenticator>,
) {
  const { identityId, username, password } = body
  if (!username) throw fieldError('username', 'username is required')
  if (!password) throw fieldError('password', 'password is required')
  if (view.get('identities', identityId) === undefined) throw notFound('identity', identityId)
  const passwordHash = await hashNewPassword({ view, hasher }, identityId, password)
  return { values: { username, passwordHash } }
}

function certificateCredential({ certPem }: NewAuthenticator) {
  if (!certPem) throw fieldError('certPem', 'certPem is required')
  const certificate = onlyCertificate(certPem)
  const { pem, fingerprint, publicKey } = certificate
  return {
    certificate,
    values: { certPem: pem, certFingerprint: fingerprint, publicKeyPrint: publicKeyPrint(publicKey) },
  }
}

function onlyCertificate(pem: string): Certificate {
  let certificates: readonly Certificate[] = []
  try {
    certificates = parseCertificates(pem)
  } catch (error) {
    if (!(error instanceof PkiError)) throw error
  }
  if (certificates.length === 1) return certificates[0]!
  throw refusal('COULD_NOT_PARSE_PEM_BLOCK', 'client pem must be exactly one certificate')
}

function refuseUntrusted(trust: CertificateTrust, certificate: Certificate, change: Change): void {
  if (trust.voucherFor(certificate, change.view) !== undefined) return
  throw refusal('CERTIFICATE_FAILED_VALIDATION', `no known CA vouches for certificate ${certificate.fingerprint}`)
}

async function replaceCredentials(
  { hasher }: AuthenticatorActionDeps,
  call: Call<NewCredentials>,
  kit: ActionKit<Authenticator>,
) {
  const { password, ...values } = call.body
  const { identityId } = passwordRow(kit.row())
  const hashed = password && { passwordHash: await hashNewPassword({ view: kit.view, hasher }, identityId, password) }
  await kit.write((change) => {
    const { id } = passwordRow(kit.row(change.view))
    changeCredentials(change, id, { ...values, ...hashed }, { keptSession: call.caller.sessionId })
  })
  return empty
}

/** A certificate changes by enrolling or extending it, never by being told. */
function passwordRow(row: Authenticator): Authenticator {
  if (row.method !== 'updb') throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR')
  return row
}

/** The enrollment replaces the authenticator: what was proven before must be proven anew. */
function reEnroll(
  { invitations, trust }: AuthenticatorActionDeps,
  change: Change,
  row: Authenticator,
  expiresAt: string,
) {
  if (expiresAt <= change.now) throw invalidField('expiresAt', expiresAt, 'expiresAt must be in the future')
  const request = { identityId: row.identityId, expiresAt, ...enrollmentAgain(trust, change, row) }
  const enrollment = issueEnrollment(change, invitations, request)
  change.remove('authenticators', row.id)
  return enrollment
}

function enrollmentAgain(trust: CertificateTrust, change: Change, row: Authenticator) {
  if (row.method === 'updb') return { method: 'updb', username: row.username ?? '' } as const
  const voucher = row.certPem === null ? undefined : trust.voucherFor(firstCertificate(row.certPem), change.view)
  return voucher?.by === 'ca' ? ({ method: 'ottca', caId: voucher.caId } as const) : ({ method: 'ott' } as const)
}

function firstCertificate(pem: string): Certificate {
  return parseCertificates(pem)[0]!
}

function requestExtend(change: Change, row: Authenticator, isKeyRollRequested: boolean): void {
  if (row.method !== 'cert') {
    const message = 'authenticator is not a certificate authenticator'
    throw new ApiError('UNAUTHORIZED', { status: 403, cause: { code: 'UNHANDLED', message } })
  }
  change.update('authenticators', row.id, {
    isExtendRequested: true,
    isKeyRollRequested,
    extendRequestedAt: change.now,
  })
}
