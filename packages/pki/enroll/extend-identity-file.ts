/**
 * Extending the certificate in an identity file, so that whenever the process ends there is a file that works.
 *
 *     identity.json        the former one  ──────────────────────────  replaced by the new one
 *     identity.json.new                     stored  ▸  put in force  ▸  renamed
 *
 * A file that an interruption left beside the other is tried first: if the controller takes it, it was put in force and
 * only has to take its place; if not, the former one still counts.
 */
import { rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Certificate } from '../certificates.ts'
import type { Clock } from '../clock.ts'
import { loadIdentityFile, writeIdentityFile } from '../identity-file.ts'
import { PkiError } from '../pki-error.ts'
import { isCode } from '../system-error.ts'
import { syncDirectory } from '../write-file-atomic.ts'
import { EnrollError } from './enroll-error.ts'
import {
  type ExtendIdentityOptions,
  extendIdentityCertificate,
  type IdentityHolder,
  openCertificateSession,
} from './extend-identity.ts'
import type { EnrollDeps } from './met-controller.ts'

/** What lies in the file from now on. */
export interface ExtendedIdentityFile {
  readonly certificate: Certificate
  readonly hasNewKey: boolean
  /** True if an earlier extension had only been interrupted, and nothing new was issued. */
  readonly isResumed: boolean
}

/** Refuses with `EnrollError` or `PkiError`; the file that is there stays usable. */
export async function extendIdentityFile(
  path: string,
  options: Omit<ExtendIdentityOptions, 'session'> = {},
  deps: EnrollDeps = {},
): Promise<ExtendedIdentityFile> {
  const clock = deps.clock ?? Date
  const pending = `${path}.new`
  const holder = await loadHolder(path, clock)
  const interrupted = await loadHolder(pending, clock).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (interrupted !== undefined && (await isInForce(interrupted, options, deps))) {
    await takePlace(pending, path)
    const { certificate, key } = interrupted.identity.client!
    return { certificate, hasNewKey: !key.equals(holder.identity.client!.key), isResumed: true }
  }
  const extended = await extendIdentityCertificate(holder, options, deps)
  await writeIdentityFile(pending, extended.file)
  await extended.verify()
  await takePlace(pending, path)
  return { certificate: extended.chain[0]!, hasNewKey: extended.hasNewKey, isResumed: false }
}

async function loadHolder(path: string, clock: Clock): Promise<IdentityHolder> {
  const { file, identity, problems } = await loadIdentityFile(path, { clock })
  if (identity?.client !== undefined) return { file, identity }
  const reason = problems.map((problem) => `${problem.path} ${problem.message}`).join('; ') || 'it has no certificate'
  throw new PkiError('BAD_IDENTITY_FILE', `${path}: ${reason}`)
}

async function isInForce(
  holder: IdentityHolder,
  options: ExtendIdentityOptions,
  deps: Pick<EnrollDeps, 'transport'>,
): Promise<boolean> {
  try {
    await openCertificateSession(holder, { ...(options.signal && { signal: options.signal }) }, deps)
    return true
  } catch (error) {
    if (error instanceof EnrollError && error.refusal?.status === 401) return false
    throw error
  }
}

async function takePlace(pending: string, path: string): Promise<void> {
  await rename(pending, path)
  await syncDirectory(dirname(resolve(path)))
}
