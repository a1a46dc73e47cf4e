/**
 * Extending the certificate of an identity before it ends, for the same key or with a new one (a key roll).
 *
 * The controller issues a certificate that is not in force yet; `verify` puts it in force and ends the former one. In
 * between the caller stores it: an answer that is lost on either side then does no harm. `extend-identity-file.ts` does
 * that for identity files.
 */
import type { KeyObject } from 'node:crypto'
import { type Certificate, encodeCertificates } from '../certificates.ts'
import { clientApisOf, type IdentityFile } from '../identity-file.ts'
import type { Identity } from '../identity-section.ts'
import { defaultKeyKind, encodePrivateKey, generatePrivateKey, type KeyKind } from '../keys.ts'
import { signCertificateRequest } from '../sign-certificate-request.ts'
import { EnrollError } from './enroll-error.ts'
import { readAuthorities, readIssuedChain } from './issued-certificates.ts'
import { KnownController } from './known-controller.ts'
import type { EnrollDeps } from './met-controller.ts'

/** Whose certificate, and where its controllers are. */
export interface IdentityHolder {
  readonly file: IdentityFile
  readonly identity: Identity
}

/** A session in which the certificate authenticator is the caller's; one is opened if there is none. */
export interface CertificateSession {
  readonly authenticatorId: string
  /** Such as `zt-session` or `authorization`. */
  readonly headers: Readonly<Record<string, string>>
}

/** How to extend. */
export interface ExtendIdentityOptions {
  /** Without it a new key is made if an administrator has asked for one; in a given session the key is kept. */
  readonly key?: 'keep' | 'new'
  /** Of a new key; P-256 unless told otherwise. */
  readonly keyKind?: KeyKind
  readonly session?: CertificateSession
  readonly signal?: AbortSignal
}

/** A certificate that has been issued and is not in force yet. */
export interface ExtendedCertificate {
  /** Holds the new certificate, its key and the authorities. */
  readonly file: IdentityFile
  /** Leaf first, root left out. */
  readonly chain: readonly Certificate[]
  readonly hasNewKey: boolean
  /** Puts it in force. From then on the former certificate is refused: store `file` first. */
  verify(): Promise<void>
}

/** Refuses with `EnrollError`; until `verify` has been called the present certificate stays in force. */
export async function extendIdentityCertificate(
  holder: IdentityHolder,
  options: ExtendIdentityOptions = {},
  deps: Pick<EnrollDeps, 'transport'> = {},
): Promise<ExtendedCertificate> {
  const { controller, session } = await openCertificateSession(holder, options, deps)
  const { client } = controller
  const hasNewKey = (options.key ?? (session.isKeyRollRequested ? 'new' : 'keep')) === 'new'
  const key: KeyObject = hasNewKey ? await generatePrivateKey(options.keyKind ?? defaultKeyKind) : client.key
  // The controller takes the subject from here and everything else from the present certificate.
  const subject = { organization: 'Weft', commonName: client.certificate.commonName || 'identity' }
  const path = `/current-identity/authenticators/${encodeURIComponent(session.authenticatorId)}`
  const csr = signCertificateRequest({ subject, key })
  const data = await controller.post(`${path}/extend`, { clientCertCsr: csr }, session.headers)
  const chain = readIssuedChain(data, 'clientCert', key)
  const certPem = encodeCertificates(chain)
  const id = { key: `pem:${encodePrivateKey(key)}`, cert: `pem:${certPem}` }
  const ca = `pem:${encodeCertificates(readAuthorities(data, 'ca'))}`
  return {
    file: { ...holder.file, id: { ...holder.file.id, ...id, ca } },
    chain,
    hasNewKey,
    async verify() {
      await controller.post(`${path}/extend-verify`, { clientCert: certPem }, session.headers)
    },
  }
}

/** Logs in by the identity's certificate at the first of its controllers that answers. */
export async function openCertificateSession(
  { file, identity }: IdentityHolder,
  { session, signal }: Pick<ExtendIdentityOptions, 'session' | 'signal'>,
  deps: Pick<EnrollDeps, 'transport'>,
): Promise<{ controller: KnownController; session: CertificateSession & { readonly isKeyRollRequested: boolean } }> {
  let unreachable: unknown
  for (const clientApi of clientApisOf(file)) {
    const controller = new KnownController(clientApi, identity, { ...deps, signal })
    if (session !== undefined) return { controller, session: { ...session, isKeyRollRequested: false } }
    try {
      return { controller, session: readSession(await controller.post('/authenticate?method=cert', {})) }
    } catch (error) {
      if (!(error instanceof EnrollError) || error.code !== 'UNREACHABLE') throw error
      unreachable = error
    }
  }
  throw unreachable
}

function readSession(data: Record<string, unknown>): CertificateSession & { readonly isKeyRollRequested: boolean } {
  const { token, authenticatorId, isCertExtendable, isCertKeyRollRequested } = data
  if (typeof token !== 'string' || typeof authenticatorId !== 'string') {
    throw new EnrollError('BAD_ANSWER', 'it holds no session')
  }
  if (isCertExtendable !== true) throw new EnrollError('NOT_EXTENDABLE')
  return { authenticatorId, headers: { 'zt-session': token }, isKeyRollRequested: isCertKeyRollRequested === true }
}
