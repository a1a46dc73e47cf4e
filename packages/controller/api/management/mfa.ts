/**
 * The caller's own second factor: enrolling, verifying and removing it, and presenting it to complete a login.
 *
 * Enrolling is open to callers whose policy asks for a second factor that they do not have yet. Everything that a stolen
 * session could misuse asks for a code again.
 */
import qrcode from 'qrcode'
import type { CodeKind, SecondFactor } from '../../auth/second-factor.ts'
import { provisioningUrl } from '../../auth/totp.ts'
import { ApiError, notFound } from '../../operation/api-error.ts'
import { answerData, empty } from '../../operation/envelope.ts'
import type { Answer, Call, Operation } from '../../operation/operation.ts'
import type { Change } from '../../resource-kit/change.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import type { TableRows } from '../../state/row.ts'
import { errorEnvelope } from '../http/error-envelope.ts'
import { type CodeBody, codeContract } from './mfa-code.ts'

export interface MfaDeps {
  readonly kit: Kit
  readonly factor: SecondFactor
  /** What authenticator apps show as the issuer. */
  readonly totpIssuer: string
  /** The media type in which the absence of a QR code is told. */
  readonly noQrCodeType: 'image/png' | 'application/json'
}

type Mfa = TableRows['mfas']

const SELF = './current-identity/mfa'
const CODE_HEADER = 'mfa-validation-code'
const anyCode: readonly CodeKind[] = ['totp', 'recovery code']
const totpOnly: readonly CodeKind[] = ['totp']

export function mfaOperations(deps: MfaDeps): Operation[] {
  return [
    {
      operationId: 'enrollMfa',
      method: 'POST',
      path: '/current-identity/mfa',
      access: 'partial',
      status: 201,
      handle: (call) => enroll(deps, call),
    },
    {
      operationId: 'detailMfa',
      method: 'GET',
      path: '/current-identity/mfa',
      access: 'partial',
      handle: (call) => answerData(detail(deps, call)),
    },
    {
      operationId: 'detailMfaQrCode',
      method: 'GET',
      path: '/current-identity/mfa/qr-code',
      access: 'partial',
      produces: ['image/png', 'application/json'],
      handle: (call) => qrCode(deps, call),
    },
    {
      operationId: 'verifyMfa',
      method: 'POST',
      path: '/current-identity/mfa/verify',
      access: 'partial',
      body: codeContract('mfaValidation'),
      handle: (call: Call<CodeBody>) => verify(deps, call),
    },
    {
      operationId: 'deleteMfa',
      method: 'DELETE',
      path: '/current-identity/mfa',
      access: 'session',
      handle: (call) => remove(deps, call),
    },
    {
      operationId: 'detailMfaRecoveryCodes',
      method: 'GET',
      path: '/current-identity/mfa/recovery-codes',
      access: 'session',
      body: codeContract('mfaValidation', { isRequired: false }),
      handle: (call: Call<CodeBody | undefined>) => showRecoveryCodes(deps, call),
    },
    {
      operationId: 'createMfaRecoveryCodes',
      method: 'POST',
      path: '/current-identity/mfa/recovery-codes',
      access: 'session',
      body: codeContract('mfaValidation'),
      handle: (call: Call<CodeBody>) => replaceRecoveryCodes(deps, call),
    },
    {
      operationId: 'authenticateMfa',
      method: 'POST',
      path: '/authenticate/mfa',
      access: 'partial',
      body: codeContract('mfaAuth'),
      handle: (call: Call<CodeBody>) => authenticate(deps, call),
    },
  ]
}

async function enroll({ kit, factor }: MfaDeps, call: Call): Promise<Answer> {
  const { id } = await kit.write(call, (change) => factor.enroll(change, call.caller.identityId))
  return { status: 201, body: { data: { _links: { self: { href: SELF } }, id }, meta: {} } }
}

function detail({ kit, factor, totpIssuer }: MfaDeps, { caller }: Call) {
  const mfa = factor.of(kit.view, caller.identityId)
  if (mfa === undefined) throw new ApiError('NOT_FOUND')
  const { isVerified } = mfa
  if (isVerified) return { ...baseRecord(mfa), isVerified, recoveryCodes: null }
  const url = provisioningUrl(totpIssuer, caller.identityName, factor.seed(mfa))
  return { ...baseRecord(mfa), isVerified, recoveryCodes: factor.recoveryCodes(mfa), provisioningUrl: url }
}

async function qrCode({ kit, factor, totpIssuer, noQrCodeType }: MfaDeps, call: Call): Promise<Answer> {
  const { caller, requestId } = call
  const mfa = factor.of(kit.view, caller.identityId)
  if (mfa === undefined || mfa.isVerified) {
    return { status: 404, body: errorEnvelope(new ApiError('NOT_FOUND'), requestId), contentType: noQrCodeType }
  }
  const url = provisioningUrl(totpIssuer, caller.identityName, factor.seed(mfa))
  const body = await qrcode.toBuffer(url, { type: 'png', width: 256, errorCorrectionLevel: 'M' })
  return { status: 200, body, contentType: 'image/png' }
}

async function verify({ kit, factor }: MfaDeps, call: Call<CodeBody>): Promise<Answer> {
  await kit.write(call, (change) => {
    const mfa = factor.of(change.view, call.caller.identityId)
    if (mfa === undefined || mfa.isVerified) throw new ApiError('NOT_FOUND')
    factor.spend(change, mfa, call.body.code, totpOnly)
    change.update('mfas', mfa.id, { isVerified: true })
    // What a session of tokens has shown stands in its tokens; the next login asks for the code.
    if (call.caller.bearer === undefined) completeSession(change, call)
  })
  return empty
}

async function remove({ kit, factor }: MfaDeps, call: Call): Promise<Answer> {
  await kit.write(call, (change) => {
    const mfa = factor.of(change.view, call.caller.identityId)
    if (mfa === undefined) throw new ApiError('NOT_FOUND')
    if (mfa.isVerified) factor.spend(change, mfa, call.header(CODE_HEADER) ?? '', anyCode)
    change.remove('mfas', mfa.id)
  })
  return empty
}

async function showRecoveryCodes({ kit, factor }: MfaDeps, call: Call<CodeBody | undefined>): Promise<Answer> {
  const code = call.header(CODE_HEADER) ?? call.body?.code ?? ''
  const mfa = await kit.write(call, (change) => {
    const verified = verifiedFactor(factor, change, call)
    factor.spend(change, verified, code, totpOnly)
    return verified
  })
  return answerData({ ...baseRecord(mfa), recoveryCodes: factor.recoveryCodes(mfa) })
}

async function replaceRecoveryCodes({ kit, factor }: MfaDeps, call: Call<CodeBody>): Promise<Answer> {
  await kit.write(call, (change) => {
    const mfa = verifiedFactor(factor, change, call)
    factor.spend(change, mfa, call.body.code, anyCode)
    factor.replaceRecoveryCodes(change, mfa)
  })
  return empty
}

/** A seed that was never verified is no second factor: whoever has only the password could have enrolled it. */
async function authenticate({ kit, factor }: MfaDeps, call: Call<CodeBody>): Promise<Answer> {
  // What an access token stands for is no stored session, and has nothing to complete.
  if (call.caller.bearer !== undefined) throw notFound('apiSession', call.caller.bearer.sessionId)
  await kit.write(call, (change) => {
    const mfa = factor.of(change.view, call.caller.identityId)
    if (mfa?.isVerified !== true) throw new ApiError('MFA_NOT_ENROLLED')
    factor.spend(change, mfa, call.body.code, anyCode)
    completeSession(change, call)
  })
  return empty
}

function verifiedFactor(factor: SecondFactor, change: Change, { caller }: Call): Mfa {
  const mfa = factor.of(change.view, caller.identityId)
  if (mfa?.isVerified !== true) throw new ApiError('NOT_FOUND')
  return mfa
}

/** What an access token says was settled when it was signed: there is nothing to complete. */
function completeSession(change: Change, { caller }: Call): void {
  if (caller.bearer !== undefined) return
  const complete = { isMfaRequired: true, isMfaComplete: true, mfaPassedAt: change.now }
  change.update('apiSessions', caller.sessionId ?? '', complete)
}

function baseRecord({ id, createdAt, updatedAt, tags, isVerified }: Mfa) {
  const further = isVerified
    ? { 'recovery-codes': { href: `${SELF}/recovery-codes` } }
    : { verify: { href: `${SELF}/verify` }, qr: { href: `${SELF}/qr-code` } }
  const _links = { self: { href: SELF }, 'current-identity': { href: './current-identity' }, ...further }
  return { id, createdAt, updatedAt, tags, _links }
}
