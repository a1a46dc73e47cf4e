/**
 * The values of an identity section: a path, `file:` and a path, `pem:` and text, or the text itself.
 *
 * `file:` is a prefix, not a URL: peers write paths behind it unescaped, relative ones too. Text given in place never
 * appears in a message, because it may be a key.
 */
import { open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'

/** PEM text and where it came from. */
export interface PemSource {
  readonly text: string
  /** Absolute path, if it came from a file. */
  readonly file: string | undefined
  /** Permission bits of that file. */
  readonly mode: number | undefined
}

/** A value that cannot be read; the message is for the operator. */
export class PemSourceError extends Error {
  constructor(message: string, options?: { readonly cause: unknown }) {
    super(message, options)
    this.name = 'PemSourceError'
  }
}

/** Room for a full public trust store. */
export const maxSourceBytes = 1024 * 1024
const maxPathLength = 4096
const schemePattern = /^([a-z][a-z0-9+.-]+):/i

/** Reads a value; paths are relative to `baseDirectory`. */
export async function readPemSource(value: string, baseDirectory: string): Promise<PemSource> {
  if (value.length > maxSourceBytes) throw new PemSourceError(`is longer than ${maxSourceBytes} characters`)
  if (value.trimStart().startsWith('-----BEGIN')) return { text: value, file: undefined, mode: undefined }
  const scheme = schemePattern.exec(value)?.[1]?.toLowerCase()
  const rest = scheme === undefined ? value : value.slice(scheme.length + 1).replace(/^\/\//, '')
  if (scheme === 'pem') return { text: rest, file: undefined, mode: undefined }
  if (scheme !== undefined && scheme !== 'file') {
    throw new PemSourceError(
      `"${scheme}:" refers to an engine, which is not supported; give a file, file: or pem: value`,
    )
  }
  if (rest === '' || rest.length > maxPathLength || /[\n\r\0]/.test(rest)) {
    throw new PemSourceError('is neither a file path nor PEM text')
  }
  return readPemFile(resolve(baseDirectory, withoutDriveSlash(rest)))
}

async function readPemFile(file: string): Promise<PemSource> {
  try {
    // Looked at before opening: opening a pipe would wait for its other end.
    const { size, mode, isFile } = await statOf(file)
    if (!isFile) throw new PemSourceError(`${file} is not a file`)
    if (size > maxSourceBytes) throw new PemSourceError(`${file} is larger than ${maxSourceBytes} bytes`)
    await using handle = await open(file, 'r')
    const buffer = Buffer.alloc(size + 1)
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
    if (bytesRead > size) throw new PemSourceError(`${file} changed while it was read`)
    return { text: buffer.toString('utf8', 0, bytesRead), file, mode }
  } catch (cause) {
    if (cause instanceof PemSourceError) throw cause
    throw new PemSourceError(`${file} ${reasons[(cause as NodeJS.ErrnoException).code ?? ''] ?? 'could not be read'}`, {
      cause,
    })
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  ELOOP: 'is a loop of links',
  EMFILE: 'could not be opened: too many open files',
}

async function statOf(file: string): Promise<{ size: number; mode: number; isFile: boolean }> {
  const found = await stat(file)
  return { size: found.size, mode: found.mode & 0o777, isFile: found.isFile() }
}

/** `file:///C:/x` leaves a slash before the drive. */
function withoutDriveSlash(path: string): string {
  return process.platform === 'win32' ? path.replace(/^\/(?=[a-z]:)/i, '') : path
}
