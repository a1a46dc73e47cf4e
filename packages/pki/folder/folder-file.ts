/** Single files of a PKI folder, with refusals that name the file. */
import { access } from 'node:fs/promises'
import { PemSourceError, readPemSource } from '../pem-source.ts'
import { PkiError } from '../pki-error.ts'
import { isCode } from '../system-error.ts'
import { createFileAtomic } from '../write-file-atomic.ts'

/** What `parse` makes of a file; undefined if there is none. */
export async function readFolderFile<T>(path: string, parse: (pem: string) => T): Promise<T | undefined> {
  try {
    await access(path)
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw new PkiError('BAD_PKI_FILE', `${path} may not be read by this user`, { cause: error })
  }
  try {
    return parse((await readPemSource(path, '/')).text)
  } catch (cause) {
    if (cause instanceof PkiError) throw new PkiError('BAD_PKI_FILE', `${path}: ${cause.message}`, { cause })
    if (cause instanceof PemSourceError) throw new PkiError('BAD_PKI_FILE', cause.message, { cause })
    throw cause
  }
}

/** Refuses with `NAME_TAKEN` to replace anything. */
export async function createFolderFile(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  try {
    await createFileAtomic(path, content, mode)
  } catch (cause) {
    if (isCode(cause, 'EEXIST')) throw new PkiError('NAME_TAKEN', path, { cause })
    throw cause
  }
}
