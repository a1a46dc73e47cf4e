/** The certificates in a controller's answer, checked before anyone relies on them. */
import type { KeyObject } from 'node:crypto'
import { type Certificate, parseCertificates } from '../certificates.ts'
import { keyMatchesCertificate } from '../keys.ts'
import { PkiError } from '../pki-error.ts'
import { EnrollError } from './enroll-error.ts'

const bundleLimits = { bytes: 1024 * 1024, blocks: 512 }

/** A chain that was issued, leaf first; the leaf must be for the key that asked. */
export function readIssuedChain(answer: Record<string, unknown>, member: string, key: KeyObject): Certificate[] {
  const chain = readCertificates(answer, member)
  if (!keyMatchesCertificate(key, chain[0]!)) throw new EnrollError('BAD_ANSWER', `"${member}" is for another key`)
  return chain
}

/** The authorities that are to be trusted; at least one. */
export function readAuthorities(answer: Record<string, unknown>, member: string): Certificate[] {
  const authorities = readCertificates(answer, member).filter(({ isCa }) => isCa)
  if (authorities.length === 0) throw new EnrollError('BAD_ANSWER', `"${member}" names no authority`)
  return authorities
}

function readCertificates(answer: Record<string, unknown>, member: string): Certificate[] {
  const pem = answer[member]
  if (typeof pem !== 'string') throw new EnrollError('BAD_ANSWER', `"${member}" is missing`)
  try {
    return parseCertificates(pem, bundleLimits)
  } catch (cause) {
    if (!(cause instanceof PkiError)) throw cause
    throw new EnrollError('BAD_ANSWER', `"${member}": ${cause.message}`, { cause })
  }
}
