/**
 * The files that the `identity` section names, for whoever writes them: enrollment, and renewal of certificates.
 */
import { resolve } from 'node:path'
import type { IdentityConfig } from '@weft/model/config-sections'
import type { RouterFiles } from '@weft/pki'

/** Why the files of an identity cannot be written, by code. */
export const identityFileErrors = {
  NOT_A_FILE: 'is not the path of a file, so that nothing can be written there',
  SHARED_FILE: 'needs a file of its own',
} as const

export type IdentityFileErrorCode = keyof typeof identityFileErrors

/** The section of a configuration file stands in the way; the message names its key. */
export class IdentityFileError extends Error {
  readonly code: IdentityFileErrorCode

  constructor(code: IdentityFileErrorCode, key: string, detail = '') {
    super(`identity.${key} ${identityFileErrors[code]}${detail}`)
    this.name = 'IdentityFileError'
    this.code = code
  }
}

/** Absolute paths. A router has one key, certified twice: for dialling, and for listening. */
export function identityFilesOf(identity: IdentityConfig, baseDirectory: string): RouterFiles {
  const path = (key: string, value: string) => resolve(baseDirectory, pathIn(key, value))
  const files = {
    key: path('key', identity.key),
    cert: path('cert', identity.cert),
    serverCert: path('server_cert', identity.serverCert),
    ca: path('ca', identity.ca),
  }
  if (path('server_key', identity.serverKey) !== files.key) {
    throw new IdentityFileError('SHARED_FILE', 'server_key', ' in no case: a router has one key; leave it out')
  }
  const taken = new Map<string, string>()
  for (const [key, file] of [
    ['key', files.key],
    ['cert', files.cert],
    ['server_cert', files.serverCert],
    ['ca', files.ca],
  ] as const) {
    const other = taken.get(file)
    if (other !== undefined) throw new IdentityFileError('SHARED_FILE', key, `, other than that of identity.${other}`)
    taken.set(file, key)
  }
  return files
}

/** What is given in place may be a key, and is not repeated. */
function pathIn(key: string, value: string): string {
  const path = value.replace(/^file:(?:\/\/)?/iu, '')
  if (/^[a-z][a-z0-9+.-]+:/iu.test(path) || /[\n\r\0]/u.test(path) || path.includes('-----BEGIN')) {
    throw new IdentityFileError('NOT_A_FILE', key)
  }
  return path
}
