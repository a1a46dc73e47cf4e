/**
 * From a path or a text to something that may be parsed: bounded in size, valid UTF-8, without control characters.
 * Everything behind this file may rely on that.
 */
import { Buffer, isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { ConfigError, configErrors } from './config-error.ts'
import { ProblemList } from './problem.ts'
import { SourceText } from './source-text.ts'

/** The largest file that is read, in bytes. */
export const largestConfigFile = 1024 * 1024

/** A file by its path, or a text under the name it is to have in messages. */
export type ConfigSource = string | { readonly text: string; readonly fileName: string }

/** Reads a source; a ConfigError says what keeps it from being parsed at all. */
export function readSource(source: ConfigSource): SourceText {
  if (typeof source === 'string') return checked(source, decode(source, readBounded(source)))
  const { fileName, text } = source
  if (Buffer.byteLength(text) > largestConfigFile) throw tooLarge(fileName)
  const stray = text.isWellFormed() ? -1 : text.search(/\p{Surrogate}/u)
  if (stray !== -1) throw refusal(new SourceText(fileName, text), stray, 'half of a character (a lone surrogate)')
  return checked(fileName, text)
}

function readBounded(path: string): Buffer {
  try {
    const file = openSync(path, 'r')
    try {
      // A pipe has no size to ask for, so the bound is on what is read. One byte more than allowed tells that it is over.
      const bytes = Buffer.allocUnsafe(largestConfigFile + 1)
      let length = 0
      while (length < bytes.length) {
        const count = readSync(file, bytes, length, bytes.length - length, null)
        if (count === 0) break
        length += count
      }
      return bytes.subarray(0, length)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new ConfigError('NO_FILE', path, `${path}: ${configErrors.NO_FILE}`, { cause: error })
    }
    const why = code === 'EISDIR' ? 'it is a directory' : code === 'EACCES' ? 'permission denied' : message
    throw new ConfigError('UNREADABLE_FILE', path, `${path}: ${configErrors.UNREADABLE_FILE}: ${why}`, { cause: error })
  }
}

function decode(fileName: string, bytes: Buffer): string {
  if (bytes.length > largestConfigFile) throw tooLarge(fileName)
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw refusal(new SourceText(fileName, ''), 0, 'the file is UTF-16; save it as UTF-8')
  }
  const text = bytes.toString('utf8')
  if (isUtf8(bytes)) return text
  const bad = firstInvalidByte(bytes, text)
  const byte = bytes[bad.byteOffset]!.toString(16).padStart(2, '0')
  throw refusal(new SourceText(fileName, text), bad.offset, `byte 0x${byte} is not valid UTF-8; save the file as UTF-8`)
}

/** Decoding puts U+FFFD where bytes are wrong; the first one that the file did not itself contain is the place. */
function firstInvalidByte(bytes: Buffer, decoded: string): { offset: number; byteOffset: number } {
  let byteOffset = 0
  let from = 0
  for (;;) {
    const offset = decoded.indexOf('\ufffd', from)
    byteOffset += Buffer.byteLength(decoded.slice(from, offset))
    const genuine = bytes[byteOffset] === 0xef && bytes[byteOffset + 1] === 0xbf && bytes[byteOffset + 2] === 0xbd
    if (!genuine) return { offset, byteOffset }
    byteOffset += 3
    from = offset + 1
  }
}

function checked(fileName: string, text: string): SourceText {
  const source = new SourceText(fileName, text.startsWith('\ufeff') ? text.slice(1) : text)
  for (let offset = 0; offset < source.text.length; offset++) {
    const code = source.text.charCodeAt(offset)
    if (code >= 0x20 ? code !== 0x7f : code === 0x09 || code === 0x0a || code === 0x0d) continue
    const sign = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
    throw refusal(source, offset, `control character ${sign}${code === 0 ? ' (NUL)' : ''} is not allowed`)
  }
  return source
}

function tooLarge(fileName: string): ConfigError {
  const source = new SourceText(fileName, '')
  return refusal(source, 0, `the file is larger than ${largestConfigFile} bytes (1 MiB)`)
}

function refusal(source: SourceText, offset: number, message: string): ConfigError {
  const problems = new ProblemList(source)
  problems.add('error', '', { start: offset, end: offset + 1 }, message)
  return ConfigError.badFile(source.fileName, problems.inOrder())
}
