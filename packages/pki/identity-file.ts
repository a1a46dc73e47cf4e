/**
 * Identity files: where a controller is, what to trust, and how to prove who one is. SDKs, tunnelers and routers of all
 * makes read the same form.
 *
 *     { "ztAPI": url, "ztAPIs": [url…] or null, "configTypes": [name…] or null,
 *       "id": { "key": source, "cert": source, "ca": source }, "enableHa": false }
 *
 * A source is what identity sections take: `pem:` and text, `file:` and a path, a path, or the text itself. Whoever logs
 * in by password or token has no `key` and no `cert`.
 */
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from './clock.ts'
import { type IdentitySectionOptions, type LoadedIdentity, loadIdentitySection } from './identity-section.ts'
import { PkiError } from './pki-error.ts'
import { keyFileMode } from './pki-files.ts'
import { isBlank, isRecord } from './section-reader.ts'
import { writeFileAtomic } from './write-file-atomic.ts'

/** The file in the words of its members. */
export interface IdentityFile {
  /** The Client API of the controller. */
  readonly ztAPI: string
  /** Those of all controllers, if there are several; then they supersede `ztAPI`. */
  readonly ztAPIs: readonly string[] | null
  /** What configurations of services are asked for. */
  readonly configTypes: readonly string[] | null
  readonly id: IdentitySources
}

/** Where keys and certificates are. */
export interface IdentitySources {
  readonly key?: string
  readonly cert?: string
  readonly server_cert?: string
  readonly server_key?: string
  readonly ca?: string
}

/** A file with everything it refers to. */
export interface LoadedIdentityFile extends LoadedIdentity {
  readonly file: IdentityFile
}

/** Where the Client API lives below a controller's address. */
export const clientApiPath = '/edge/client/v1'

const maxFileBytes = 1024 * 1024
const maxEntries = 64
const maxTextLength = 2048
const sourceNames = ['key', 'cert', 'server_cert', 'server_key', 'ca'] as const

/** The text as the Go peers write it, member by member. */
export function encodeIdentityFile({ ztAPI, ztAPIs, configTypes, id }: IdentityFile): string {
  const sources = Object.fromEntries(sourceNames.flatMap((name) => (isBlank(id[name]) ? [] : [[name, id[name]]])))
  return `${JSON.stringify({ ztAPI, ztAPIs, configTypes, id: sources, enableHa: false })}\n`
}

/** Reads the text; members that are not known are passed over. */
export function parseIdentityFile(text: string): IdentityFile {
  if (text.length > maxFileBytes) throw new PkiError('INPUT_TOO_LARGE', `at most ${maxFileBytes} characters`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's message repeats what it read, and that may be a key.
    throw new PkiError('BAD_IDENTITY_FILE', 'it is not JSON')
  }
  if (!isRecord(value)) throw new PkiError('BAD_IDENTITY_FILE', 'it is not an object')
  const { ztAPI, id } = value
  const ztAPIs = readList(value, 'ztAPIs')
  if (!isRecord(id)) throw new PkiError('BAD_IDENTITY_FILE', '"id" is not an object')
  const first = isBlank(ztAPI) ? ztAPIs?.[0] : ztAPI
  if (typeof first !== 'string') throw new PkiError('BAD_IDENTITY_FILE', '"ztAPI" is missing')
  for (const url of [first, ...(ztAPIs ?? [])]) checkUrl(url)
  return { ztAPI: first, ztAPIs, configTypes: readList(value, 'configTypes'), id: readSources(id) }
}

/** The Client APIs to try, in order; files of the C SDK leave the path out. */
export function clientApisOf({ ztAPI, ztAPIs }: IdentityFile): string[] {
  const urls = ztAPIs === null || ztAPIs.length === 0 ? [ztAPI] : ztAPIs
  return urls.map((text) => {
    const url = new URL(text)
    if (url.pathname === '/') url.pathname = clientApiPath
    return url.href.replace(/\/+$/, '')
  })
}

/** Reads the file and what it refers to; relative paths count from the directory of the file. */
export async function loadIdentityFile(
  path: string,
  options: { readonly clock: Clock; readonly baseDirectory?: string },
): Promise<LoadedIdentityFile> {
  const { size } = await stat(path)
  if (size > maxFileBytes) throw new PkiError('INPUT_TOO_LARGE', `at most ${maxFileBytes} bytes`)
  const file = parseIdentityFile(await readFile(path, 'utf8'))
  const loadOptions: IdentitySectionOptions = {
    clock: options.clock,
    baseDirectory: options.baseDirectory ?? dirname(path),
    role: isBlank(file.id.cert) && isBlank(file.id.key) ? 'visitor' : 'client',
    path: 'id',
  }
  return { file, ...(await loadIdentitySection(file.id, loadOptions)) }
}

/** Durable once it resolves, and for the owner's eyes only. */
export async function writeIdentityFile(path: string, file: IdentityFile): Promise<void> {
  await writeFileAtomic(path, encodeIdentityFile(file), keyFileMode)
}

function readList(value: Record<string, unknown>, name: string): string[] | null {
  const list = value[name] ?? null
  if (list === null) return null
  const isList = Array.isArray(list) && list.length <= maxEntries
  if (!isList || !list.every((it) => typeof it === 'string' && it.length <= maxTextLength)) {
    throw new PkiError('BAD_IDENTITY_FILE', `"${name}" is not a list of at most ${maxEntries} texts`)
  }
  return list
}

function checkUrl(text: string): void {
  const isUrl = text.length <= maxTextLength && URL.canParse(text) && new URL(text).protocol === 'https:'
  if (!isUrl) throw new PkiError('BAD_IDENTITY_FILE', 'a controller without an https address')
}

function readSources(id: Record<string, unknown>): IdentitySources {
  const sources: { -readonly [Name in keyof IdentitySources]: string } = {}
  for (const name of sourceNames) {
    const value = id[name]
    if (isBlank(value)) continue
    if (typeof value !== 'string') throw new PkiError('BAD_IDENTITY_FILE', `"id.${name}" is not a text`)
    sources[name] = value
  }
  return sources
}
