/**
 * Time-based one-time codes (RFC 6238): HMAC-SHA-1, six digits, a step of 30 seconds.
 *
 * A code is accepted two steps to either side, because phones' clocks drift; which step it was is told, so that the caller
 * can refuse it a second time.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

const STEP_MILLISECONDS = 30_000
const STEPS_EITHER_SIDE = 2
const CODE = /^[0-9]{6}$/
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What authenticator apps expect, and what fits their sixteen characters. */
export const SEED_BYTES = 10

/** The code of one step. */
export function totpCode(seed: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', seed).update(counter).digest()
  const offset = mac[mac.length - 1]! & 0xf
  const number = (mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000
  return String(number).padStart(6, '0')
}

/**
 * The steps that are used up once this one is; undefined when it is used up already. What is older than the window around
 * the newest counts as used, so five steps are all there is to remember.
 */
export function useStep(used: readonly number[], step: number): readonly number[] | undefined {
  const isSpent = (candidate: number, newest: number) => candidate < newest - 2 * STEPS_EITHER_SIDE
  if (used.includes(step) || isSpent(step, Math.max(...used))) return undefined
  const newest = Math.max(step, ...used)
  return [...used, step].filter((candidate) => !isSpent(candidate, newest))
}

/** The step whose code this is, around a moment in milliseconds; undefined when it is none of theirs. */
export function stepOfCode(seed: Uint8Array, code: string, now: number): number | undefined {
  if (!CODE.test(code)) return undefined
  const given = Buffer.from(code, 'latin1')
  const present = Math.floor(now / STEP_MILLISECONDS)
  let found: number | undefined
  for (let step = Math.max(present - STEPS_EITHER_SIDE, 0); step <= present + STEPS_EITHER_SIDE; step++) {
    if (timingSafeEqual(Buffer.from(totpCode(seed, step), 'latin1'), given)) found = step
  }
  return found
}

/** RFC 4648 without padding. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + BASE32[(held << (5 - bits)) & 31]
}

/** What an authenticator app is given, as a link or a QR code. */
export function provisioningUrl(issuer: string, account: string, seed: Uint8Array): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?issuer=${encodeURIComponent(issuer)}&secret=${base32(seed)}`
}
