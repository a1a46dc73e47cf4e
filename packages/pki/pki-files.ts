/**
 * Where the PKI of a controller lies on disk.
 *
 *     root.cert          intermediate.cert   server.cert        client.cert         the certificate alone
 *                                            server.chain.pem   client.chain.pem    leaf and intermediate, no root
 *     root.key           intermediate.key    server.key         client.key          PKCS#8, mode 0600
 *     cas.pem                                                                       what peers trust: the root
 *
 * `root.key` is needed only to make further intermediates; an operator may move it to a safe place.
 */
import { chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'

const names = {
  rootKey: 'root.key',
  rootCert: 'root.cert',
  intermediateKey: 'intermediate.key',
  intermediateCert: 'intermediate.cert',
  serverKey: 'server.key',
  serverCert: 'server.cert',
  serverChain: 'server.chain.pem',
  clientKey: 'client.key',
  clientCert: 'client.cert',
  clientChain: 'client.chain.pem',
  caBundle: 'cas.pem',
} as const

/** Absolute or relative like the directory they were made from. */
export type PkiFiles = { readonly [Name in keyof typeof names]: string }

/** The files of the PKI in a directory, by role. */
export function pkiFiles(directory: string): PkiFiles {
  return Object.fromEntries(Object.entries(names).map(([name, file]) => [name, join(directory, file)])) as PkiFiles
}

/** Permissions of what is written. */
export const keyFileMode = 0o600
export const certificateFileMode = 0o644
export const directoryMode = 0o700

/** Closes a key file that others can read; one that is not there is no matter. */
export async function guardKeyFile(path: string): Promise<void> {
  try {
    if (((await stat(path)).mode & 0o777) !== keyFileMode) await chmod(path, keyFileMode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
