/** What a PKI with one folder per authority holds, found by looking: files of other tools are as good as ours. */
import type { KeyObject } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Certificate, parseLeafCertificate } from '../certificates.ts'
import { extendedKeyUsageId, type Purpose } from '../extensions.ts'
import { PkiError } from '../pki-error.ts'
import { isCode } from '../system-error.ts'
import { readFolderFile } from './folder-file.ts'
import type { EntryFiles } from './folder-layout.ts'

/** What an entry is; `unreadable` has files that no certificate could be read from. */
export type EntryKind = 'root' | 'intermediate' | 'server' | 'client' | 'key' | 'request' | 'unreadable'

/** Everything of one name in the folder of an authority. */
export interface FolderEntry {
  readonly authority: string
  readonly name: string
  readonly kind: EntryKind
  /** Absent for keys and requests. */
  readonly certificate: Certificate | undefined
  /** Those that are there. */
  readonly files: Partial<EntryFiles>
  /** Why it is `unreadable`. */
  readonly problem: string | undefined
}

const maxFiles = 10_000
const suffixes = [
  ['certs', '.chain.pem', 'chain'],
  ['certs', '.cert', 'cert'],
  ['certs', '.csr', 'request'],
  ['keys', '.key', 'key'],
] as const

/** The names of the authorities' folders, in order. */
export async function listAuthorities(root: string): Promise<string[]> {
  const names: string[] = []
  for (const entry of await readFolder(root)) {
    if (!entry.isDirectory()) continue
    const inside = await readFolder(join(root, entry.name, 'certs'))
    if (inside.some(({ name }) => name === `${entry.name}.cert`)) names.push(entry.name)
  }
  return names.sort()
}

/** All entries of all authorities; of an intermediate, the one in its own folder. */
export async function listEntries(root: string): Promise<FolderEntry[]> {
  const authorities = await listAuthorities(root)
  const entries: FolderEntry[] = []
  for (const authority of authorities) {
    const found = await namesIn(root, authority)
    if (entries.length + found.size > maxFiles) throw new PkiError('PKI_TOO_LARGE', `at most ${maxFiles} entries`)
    for (const [name, files] of found) {
      const entry = await readEntry(authority, name, files)
      const hasOwnFolder = name !== authority && authorities.includes(name) && entry.certificate?.isCa === true
      if (!hasOwnFolder) entries.push(entry)
    }
  }
  return entries.sort((a, b) => placeOf(a).localeCompare(placeOf(b)))
}

/** Roots first; then by authority, itself before what it has issued. */
function placeOf({ kind, authority, name }: FolderEntry): string {
  return [kind === 'root' ? 0 : 1, authority, name === authority ? 0 : 1, name].join('\0')
}

/** One entry; undefined if there is nothing of that name. */
export async function findEntry(root: string, authority: string, name: string): Promise<FolderEntry | undefined> {
  const files = (await namesIn(root, authority)).get(name)
  return files && readEntry(authority, name, files)
}

/** What a leaf is for; one that does not say it, as those of the stock tool, may be used for both. */
export function purposesOf({ x509 }: Certificate): [Purpose, ...Purpose[]] {
  const stated = (x509.keyUsage ?? []) as readonly string[]
  const isServer = stated.includes(extendedKeyUsageId.serverAuth)
  const isClient = stated.includes(extendedKeyUsageId.clientAuth)
  if (isServer === isClient) return ['serverAuth', 'clientAuth']
  return isServer ? ['serverAuth'] : ['clientAuth']
}

/** What a certificate is for, in one word: one for both purposes serves if it names a host. */
function kindOf(certificate: Certificate): 'root' | 'intermediate' | 'server' | 'client' {
  if (certificate.isCa) return certificate.isSelfSigned ? 'root' : 'intermediate'
  const [first, second] = purposesOf(certificate)
  if (second === undefined) return first === 'serverAuth' ? 'server' : 'client'
  const { dns, ip } = certificate.names
  return dns.length > 0 || ip.length > 0 ? 'server' : 'client'
}

/** The kind of a key in the words of `KeyKind`, or the platform's. */
export function keyKindOf(key: KeyObject): string {
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {}
  const curves: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }
  if (key.asymmetricKeyType === 'rsa') return `RSA-${modulusLength}`
  return curves[namedCurve ?? ''] ?? namedCurve ?? key.asymmetricKeyType ?? 'unknown'
}

async function namesIn(root: string, authority: string): Promise<Map<string, Partial<EntryFiles>>> {
  const found = new Map<string, { -readonly [File in keyof EntryFiles]?: string }>()
  for (const folder of ['certs', 'keys']) {
    for (const { name: file } of await readFolder(join(root, authority, folder))) {
      const match = suffixes.find(([where, suffix]) => where === folder && file.endsWith(suffix))
      if (match === undefined) continue
      const name = file.slice(0, -match[1].length)
      const files = found.get(name) ?? {}
      files[match[2]] = join(root, authority, folder, file)
      found.set(name, files)
    }
  }
  return found
}

async function readEntry(authority: string, name: string, files: Partial<EntryFiles>): Promise<FolderEntry> {
  const entry = { authority, name, files, certificate: undefined, problem: undefined }
  const path = files.cert ?? files.chain
  if (path === undefined) return { ...entry, kind: files.request === undefined ? 'key' : 'request' }
  try {
    const certificate = await readFolderFile(path, parseLeafCertificate)
    if (certificate === undefined) return { ...entry, kind: 'unreadable', problem: `${path} is a link to nothing` }
    return { ...entry, kind: kindOf(certificate), certificate }
  } catch (error) {
    if (!(error instanceof PkiError)) throw error
    return { ...entry, kind: 'unreadable', problem: error.message }
  }
}

/** Empty if there is no such folder. */
async function readFolder(path: string) {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    if (entries.length > maxFiles) throw new PkiError('PKI_TOO_LARGE', path)
    return entries
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}
