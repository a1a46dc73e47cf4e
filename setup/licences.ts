/** Checks that every dependency, of whatever platform, comes under a licence that an Apache-2.0 project may ship. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LockEntry, LockFile } from './lock-file.ts'

const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
])

/**
 * Whether an SPDX expression offers a way to use the package. An expression that nests brackets is refused, so that a
 * person reads it.
 */
export function isAllowed(expression: string): boolean {
  const bare = expression.replace(/^\((.*)\)$/, '$1')
  if (/[()]/.test(bare)) return false
  return bare.split(' OR ').some((choice) => choice.split(' AND ').every((name) => ALLOWED.has(name.trim())))
}

/** Every dependency of the lock file whose licence is not allowed or not stated, one line each. */
export function findLicenceProblems(folder: string, lockFile: LockFile): string[] {
  const problems: string[] = []
  for (const [path, entry] of Object.entries(lockFile.packages)) {
    if (!path.includes('node_modules/') || entry.link) continue
    const licence = entry.license ?? readLicence(join(folder, path), entry)
    if (licence === undefined) problems.push(`${path} ${entry.version}: states no licence`)
    else if (!isAllowed(licence)) problems.push(`${path} ${entry.version}: ${licence} is not on the list`)
  }
  return problems
}

/** Old packages state their licence in forms that npm does not copy into the lock file. */
function readLicence(folder: string, entry: LockEntry): string | undefined {
  if (entry.optional || entry.devOptional) return undefined
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const stated = [manifest.license ?? manifest.licenses ?? []].flat()
  const names = stated.map((licence: string | { type: string }) =>
    typeof licence === 'string' ? licence : licence.type,
  )
  return names.length > 0 ? names.join(' OR ') : undefined
}
