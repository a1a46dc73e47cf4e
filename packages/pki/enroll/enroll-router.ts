/**
 * Enrolling a router: one key, certified twice, for dialling and for listening, under the names its configuration asks
 * for. Nothing is written until the controller has answered.
 */
import type { KeyObject } from 'node:crypto'
import { type Certificate, encodeCertificates } from '../certificates.ts'
import type { DistinguishedName } from '../distinguished-name.ts'
import type { AlternativeNames } from '../extensions.ts'
import { defaultKeyKind, encodePrivateKey, generatePrivateKey, type KeyKind } from '../keys.ts'
import { certificateFileMode, keyFileMode } from '../pki-files.ts'
import { signCertificateRequest } from '../sign-certificate-request.ts'
import { writeFileAtomic } from '../write-file-atomic.ts'
import { EnrollError } from './enroll-error.ts'
import { readAuthorities, readIssuedChain } from './issued-certificates.ts'
import { type EnrollDeps, MetController } from './met-controller.ts'
import { readToken } from './received-token.ts'

/** The `csr` section of the router's configuration, and its key. */
export interface EnrollRouterOptions {
  readonly subject?: Omit<DistinguishedName, 'commonName'>
  readonly names?: Partial<AlternativeNames>
  /** Of the key that is made; P-256 unless told otherwise. */
  readonly keyKind?: KeyKind
  /** In place of a key that is made. */
  readonly key?: KeyObject
  readonly signal?: AbortSignal
}

/** What a router needs to take its place. */
export interface EnrolledRouter {
  readonly routerId: string
  readonly key: KeyObject
  /** Leaf first, root left out; likewise `serverChain`. */
  readonly clientChain: readonly Certificate[]
  readonly serverChain: readonly Certificate[]
  readonly authorities: readonly Certificate[]
  /** Control-channel addresses, such as `tls:ctrl.example.com:6262`. */
  readonly controllerAddresses: readonly string[]
}

/** Where the `identity` section of the router's configuration says that its files are. */
export interface RouterFiles {
  readonly key: string
  readonly cert: string
  readonly serverCert: string
  readonly ca: string
}

/** Refuses with `EnrollError`; an enrollment that was refused can be tried again with the same token. */
export async function enrollRouter(
  token: string,
  options: EnrollRouterOptions = {},
  deps: EnrollDeps = {},
): Promise<EnrolledRouter> {
  const received = readToken(token)
  const { method, subjectId: routerId } = received
  if (method !== 'erott' && method !== 'trott') throw new EnrollError('UNKNOWN_METHOD', 'it does not enroll a router')
  const controller = await MetController.meet(received, deps, options.signal)
  const key = options.key ?? (await generatePrivateKey(options.keyKind ?? defaultKeyKind))
  const subject = { ...options.subject, commonName: routerId }
  const csr = signCertificateRequest({ subject, key, names: options.names })
  const data = await controller.enroll({
    query: { method, token: received.token },
    contentType: 'application/json',
    body: JSON.stringify({ certCsr: csr, serverCertCsr: csr }),
  })
  return {
    routerId,
    key,
    clientChain: readIssuedChain(data, 'cert', key),
    serverChain: readIssuedChain(data, 'serverCert', key),
    authorities: readAuthorities(data, 'ca'),
    controllerAddresses: received.controllerAddresses,
  }
}

/** Each file durable before the next; the certificate by which a router knows that it is enrolled comes last. */
export async function writeRouterIdentity(
  files: RouterFiles,
  router: Pick<EnrolledRouter, 'key' | 'clientChain' | 'serverChain' | 'authorities'>,
): Promise<void> {
  await writeFileAtomic(files.ca, encodeCertificates(router.authorities), certificateFileMode)
  await writeFileAtomic(files.key, encodePrivateKey(router.key), keyFileMode)
  await writeFileAtomic(files.serverCert, encodeCertificates(router.serverChain), certificateFileMode)
  await writeFileAtomic(files.cert, encodeCertificates(router.clientChain), certificateFileMode)
}
