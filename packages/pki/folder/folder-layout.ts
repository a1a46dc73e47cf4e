/**
 * Where things lie in a PKI with one folder per authority, the form that `ziti pki` and `openssl ca` work on.
 *
 *     <root>/<authority>/certs/<name>.cert        a certificate alone; the authority's own bears the folder's name
 *                        certs/<name>.chain.pem   the certificate and those above it, root included
 *                        certs/<name>.csr         a request for a certificate
 *                        keys/<name>.key          PKCS#8, mode 0600
 *                        index.txt                a line for each certificate that the authority has issued
 *                        index.txt.attr, serial, crlnumber, crls/
 *
 * An intermediate has a folder of its own; its certificate lies in the folder of its issuer as well. Its key does not:
 * whoever moves a root to a safe place moves one key.
 */
import { appendFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Certificate } from '../certificates.ts'
import { PkiError } from '../pki-error.ts'
import { certificateFileMode, directoryMode } from '../pki-files.ts'
import { isCode } from '../system-error.ts'
import { writeFileAtomic } from '../write-file-atomic.ts'

/** Places of one name in the folder of an authority. */
export interface EntryFiles {
  readonly key: string
  readonly cert: string
  readonly chain: string
  readonly request: string
}

const openDirectoryMode = 0o755
const namePattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/

/** Files in place of an empty folder: what the other tools expect to find and to count on from there. */
const emptyAuthority = {
  serial: '01\n',
  crlnumber: '01\n',
  'index.txt': '',
  'index.txt.attr': 'unique_subject = no\n',
} as const

/** Refuses names that would leave the folder or read as something else. */
export function checkedFileName(name: string): string {
  if (!namePattern.test(name)) throw new PkiError('BAD_FILE_NAME', JSON.stringify(name.slice(0, 80)))
  return name
}

/** Where the files of a name lie. */
export function entryFiles(root: string, authority: string, name: string): EntryFiles {
  const folder = join(root, checkedFileName(authority))
  const certs = join(folder, 'certs')
  return {
    key: join(folder, 'keys', `${checkedFileName(name)}.key`),
    cert: join(certs, `${name}.cert`),
    chain: join(certs, `${name}.chain.pem`),
    request: join(certs, `${name}.csr`),
  }
}

/** Takes the name of an authority, fills its folder with `fill`, and takes everything back if that fails. */
export async function createAuthorityFolder(root: string, name: string, fill: () => Promise<void>): Promise<void> {
  const folder = join(root, checkedFileName(name))
  await mkdir(root, { recursive: true })
  try {
    await mkdir(folder, { mode: openDirectoryMode })
  } catch (cause) {
    if (isCode(cause, 'EEXIST')) throw new PkiError('NAME_TAKEN', folder, { cause })
    throw cause
  }
  try {
    await mkdir(join(folder, 'certs'), { mode: openDirectoryMode })
    await mkdir(join(folder, 'keys'), { mode: directoryMode })
    await mkdir(join(folder, 'crls'), { mode: directoryMode })
    for (const [file, content] of Object.entries(emptyAuthority)) {
      await writeFileAtomic(join(folder, file), content, certificateFileMode)
    }
    await fill()
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** Adds a line to the list of what an authority has issued, in the form of `openssl ca`. */
export async function recordIssued(
  root: string,
  authority: string,
  issued: { readonly name: string; readonly certificate: Certificate },
): Promise<void> {
  const { name, certificate } = issued
  const subject = certificate.x509.subject.split('\n').map((part) => `/${part.replace(/[\p{Cc}/]/gu, ' ')}`)
  const serial = certificate.x509.serialNumber.toUpperCase()
  const line = ['V', indexTime(certificate.notAfter), '', evenDigits(serial), `${name}.cert`, subject.join('')]
  await appendFile(join(root, authority, 'index.txt'), `${line.join('\t')}\n`, { mode: certificateFileMode })
}

function evenDigits(hex: string): string {
  return hex.length % 2 === 0 ? hex : `0${hex}`
}

/** `yymmddHHMMSSZ`. */
function indexTime(time: number): string {
  return new Date(time).toISOString().replace(/^..|[-:T]|\.\d+/g, '')
}
