/**
 * The second factor of an identity: a TOTP seed, and recovery codes for when the phone is gone.
 *
 * A code counts once. The steps of TOTP codes and the recovery codes that are left are written in the transaction that the
 * code permits, so of two requests with the same code one is refused, whichever way they race.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../operation/api-error.ts'
import type { Change } from '../resource-kit/change.ts'
import { newId } from '../resource-kit/ids.ts'
import type { TableRows } from '../state/row.ts'
import { findOne, type View } from '../state/view.ts'
import type { CodeAttempts } from './code-attempts.ts'
import type { SecretSealer } from './sealed-secret.ts'
import { base32, SEED_BYTES, stepOfCode, useStep } from './totp.ts'

type Mfa = TableRows['mfas']

export type CodeKind = 'totp' | 'recovery code'

const RECOVERY_CODES = 20
const RECOVERY_CODE_LETTERS = 6

export interface SecondFactorDeps {
  readonly sealer: SecretSealer
  readonly attempts: CodeAttempts
}

export class SecondFactor {
  readonly #deps: SecondFactorDeps

  constructor(deps: SecondFactorDeps) {
    this.#deps = deps
  }

  /** What the identity has enrolled, verified or not. */
  of(view: View, identityId: string): Mfa | undefined {
    return findOne(view, 'mfas', 'identityId', identityId)
  }

  /** A new seed and new recovery codes, not verified yet. */
  enroll(change: Change, identityId: string): Mfa {
    if (this.of(change.view, identityId) !== undefined) throw new ApiError('MFA_EXISTS')
    const id = newId('uuid')
    const sealedSeed = this.#deps.sealer.seal(randomBytes(SEED_BYTES).toString('base64'), seedOf(id))
    return change.create('mfas', { identityId, sealedSeed, ...this.#newRecoveryCodes(id) }, { id })
  }

  seed(mfa: Mfa): Buffer {
    return Buffer.from(this.#deps.sealer.unseal(mfa.sealedSeed, seedOf(mfa.id)), 'base64')
  }

  /** Those that are left, sorted. */
  recoveryCodes(mfa: Mfa): readonly string[] {
    return JSON.parse(this.#deps.sealer.unseal(mfa.sealedRecoveryCodes, codesOf(mfa.id))) as string[]
  }

  replaceRecoveryCodes(change: Change, mfa: Mfa): void {
    change.update('mfas', mfa.id, this.#newRecoveryCodes(mfa.id))
  }

  /** Spends a code of one of the kinds, or refuses it. Too many wrong ones in a row make it refuse all for a while. */
  spend(change: Change, mfa: Mfa, code: string, kinds: readonly CodeKind[]): void {
    const { attempts } = this.#deps
    const wait = attempts.secondsToWait(mfa.identityId)
    if (wait > 0) throw new ApiError('RATE_LIMITED', { headers: { 'retry-after': String(wait) } })
    if (code === '') throw new ApiError('MFA_INVALID_TOKEN')
    const step = kinds.includes('totp') ? stepOfCode(this.seed(mfa), code, Date.parse(change.now)) : undefined
    if (step !== undefined) {
      const usedSteps = useStep(mfa.usedSteps, step)
      // Whoever repeats a code has known it, so it is not counted as a guess.
      if (usedSteps === undefined) throw new ApiError('MFA_INVALID_TOKEN')
      change.update('mfas', mfa.id, { usedSteps })
    } else if (!kinds.includes('recovery code') || !this.#spendRecoveryCode(change, mfa, code)) {
      attempts.failed(mfa.identityId)
      throw new ApiError('MFA_INVALID_TOKEN')
    }
    attempts.succeeded(mfa.identityId)
  }

  #spendRecoveryCode(change: Change, mfa: Mfa, code: string): boolean {
    const codes = this.recoveryCodes(mfa)
    const left = codes.filter((candidate) => !isSame(candidate, code))
    if (left.length === codes.length) return false
    change.update('mfas', mfa.id, this.#sealedCodes(mfa.id, left))
    return true
  }

  #newRecoveryCodes(id: string) {
    const codes = new Set<string>()
    while (codes.size < RECOVERY_CODES) codes.add(base32(randomBytes(8)).slice(0, RECOVERY_CODE_LETTERS))
    return this.#sealedCodes(id, [...codes].sort())
  }

  #sealedCodes(id: string, codes: readonly string[]) {
    return { sealedRecoveryCodes: this.#deps.sealer.seal(JSON.stringify(codes), codesOf(id)) }
  }
}

function seedOf(id: string): string {
  return `mfas/${id}/seed`
}

function codesOf(id: string): string {
  return `mfas/${id}/recovery-codes`
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8')]
  return a.length === b.length && timingSafeEqual(a, b)
}
