/**
 * The PKI of one controller in a directory: made once, then loaded and kept fresh.
 *
 * The first time, everything is written into a directory beside the final one, which then takes its name in one step;
 * so the directory either is absent or holds complete authorities. Later calls never touch the authorities: a file of
 * theirs that is missing is an error to report, not a reason to start a second network under the same name. Leaves are
 * renewed when they near their end or no longer say what was asked for.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { CertificateAuthority } from './authority.ts'
import { authoritySubject } from './authority-subject.ts'
import { type Certificate, encodeCertificates, parseCertificates } from './certificates.ts'
import type { Clock } from './clock.ts'
import { encodeName } from './distinguished-name.ts'
import { sortHosts } from './hosts.ts'
import { defaultKeyKind, encodePrivateKey, type KeyKind, parsePrivateKey } from './keys.ts'
import { type Leaf, type LeafFiles, type LeafWanted, loadLeaf, type RenewalReason, writeLeaf } from './leaf-files.ts'
import { PkiError } from './pki-error.ts'
import { certificateFileMode, directoryMode, guardKeyFile, keyFileMode, type PkiFiles, pkiFiles } from './pki-files.ts'
import { formatSpiffeId, parseTrustDomain, spiffeIdOf } from './spiffe.ts'
import { isCode } from './system-error.ts'
import { verifyChain } from './verify-chain.ts'
import { syncDirectory, writeFileAtomic } from './write-file-atomic.ts'

/** Whose PKI, where. */
export interface PkiOptions {
  readonly directory: string
  readonly trustDomain: string
  /** Becomes the common name and the SPIFFE id of the controller's certificates. */
  readonly controllerId: string
  /** DNS names and IP addresses under which the controller is reached. */
  readonly hosts: readonly string[]
  readonly clock: Clock
  /** For authorities and leaves alike; P-256 unless told otherwise. */
  readonly keyKind?: KeyKind
}

/** A complete PKI, as it lies on disk. */
export interface Pki {
  readonly files: PkiFiles
  readonly trustDomain: string
  readonly root: Certificate
  /** The intermediate, which signs everything the controller issues. */
  readonly signer: CertificateAuthority
  readonly server: Leaf
  readonly client: Leaf
  readonly caBundle: readonly Certificate[]
  readonly caBundlePem: string
  /** When the server certificate ends, in milliseconds. */
  readonly serverExpiresAt: number
  /** True if this call made the authorities. */
  readonly isNew: boolean
  /** What this call replaced in a directory that was already there. */
  readonly renewed: readonly { readonly certificate: 'server' | 'client'; readonly reason: RenewalReason }[]
}

/** A leaf that ends within this time is replaced at start. */
export const renewalWindow = 30 * 24 * 60 * 60_000

/** Loads the PKI in the directory, makes it first if there is none, and renews its leaves where needed. */
export async function createPki(options: PkiOptions): Promise<Pki> {
  const directory = resolve(options.directory)
  const trustDomain = parseTrustDomain(options.trustDomain)
  const spiffeId = formatSpiffeId({ kind: 'controller', trustDomain, controllerId: options.controllerId })
  const commonName = options.controllerId
  const subject = encodeName({ commonName })
  const hosts = sortHosts(options.hosts)
  const isNew = (await isAbsentOrEmpty(directory)) && (await createAuthorities(directory, trustDomain, options))
  const files = pkiFiles(directory)
  const { root, signer } = await loadAuthorities(files, trustDomain, options.clock)

  const server = await ensureLeaf('server', {
    files: { key: files.serverKey, cert: files.serverCert, chain: files.serverChain },
    wanted: { commonName, ...hosts, spiffeId },
    issue: (publicKey) => signer.issueServerCertificate({ subject, publicKey, hosts: options.hosts, spiffeId }),
  })
  const client = await ensureLeaf('client', {
    files: { key: files.clientKey, cert: files.clientCert, chain: files.clientChain },
    wanted: { commonName, dns: [], ip: [], spiffeId },
    issue: (publicKey) => signer.issueClientCertificate({ subject, publicKey, spiffeId }),
  })
  const caBundle = await ensureCaBundle(files, root)
  return {
    files,
    trustDomain,
    root,
    signer,
    server: server.leaf,
    client: client.leaf,
    caBundle,
    caBundlePem: encodeCertificates(caBundle),
    serverExpiresAt: server.leaf.certificate.notAfter,
    isNew,
    renewed: isNew
      ? []
      : [server, client].flatMap(({ certificate, reason }) => (reason ? [{ certificate, reason }] : [])),
  }

  async function ensureLeaf(
    certificate: 'server' | 'client',
    plan: { files: LeafFiles; wanted: LeafWanted; issue: Parameters<typeof writeLeaf>[3] },
  ): Promise<{ certificate: 'server' | 'client'; leaf: Leaf; reason: RenewalReason | undefined }> {
    const loaded = await loadLeaf(plan.files, plan.wanted, signer, { now: options.clock.now(), renewalWindow })
    if (loaded.renewal === undefined) return { certificate, leaf: loaded.leaf, reason: undefined }
    const leaf = await writeLeaf(plan.files, loaded.key, options.keyKind ?? defaultKeyKind, plan.issue)
    return { certificate, leaf, reason: loaded.renewal }
  }
}

async function isAbsentOrEmpty(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length === 0
  } catch (error) {
    if (isCode(error, 'ENOENT')) return true
    throw error
  }
}

/** False if another process was first; then its authorities are the ones to load. */
async function createAuthorities(directory: string, trustDomain: string, options: PkiOptions): Promise<boolean> {
  const { keyKind = defaultKeyKind, ...deps } = options
  const root = await CertificateAuthority.createRoot(
    { subject: authoritySubject(trustDomain, 'root'), trustDomain, keyKind },
    deps,
  )
  const intermediate = await root.createIntermediate({
    subject: authoritySubject(options.controllerId, 'intermediate'),
    keyKind,
  })
  await mkdir(dirname(directory), { recursive: true })
  const growing = `${directory}.${randomBytes(6).toString('hex')}.new`
  try {
    await mkdir(growing, { mode: directoryMode })
    const files = pkiFiles(growing)
    await writeFileAtomic(files.rootKey, encodePrivateKey(root.key), keyFileMode)
    await writeFileAtomic(files.rootCert, root.certificate.pem, certificateFileMode)
    await writeFileAtomic(files.intermediateKey, encodePrivateKey(intermediate.key), keyFileMode)
    await writeFileAtomic(files.intermediateCert, intermediate.certificate.pem, certificateFileMode)
    // Windows does not rename onto an empty directory.
    await rmdir(directory).catch((error) => {
      if (!isCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error
    })
    await rename(growing, directory)
    await syncDirectory(dirname(directory))
    return true
  } catch (error) {
    await rm(growing, { recursive: true, force: true })
    if (isCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM') && !(await isAbsentOrEmpty(directory))) return false
    throw error
  }
}

async function loadAuthorities(
  files: PkiFiles,
  trustDomain: string,
  clock: Clock,
): Promise<{ root: Certificate; signer: CertificateAuthority }> {
  const root = parseCertificates(await readAuthorityFile(files.rootCert))[0]!
  const certificate = parseCertificates(await readAuthorityFile(files.intermediateCert))[0]!
  const key = parsePrivateKey(await readAuthorityFile(files.intermediateKey))
  const found = spiffeIdOf(root)?.trustDomain
  if (found !== trustDomain) {
    throw new PkiError('PKI_DIFFERENT', `its root names the trust domain "${found ?? ''}", wanted "${trustDomain}"`)
  }
  const verdict = verifyChain({ leaf: certificate, roots: [root], at: clock.now() })
  if (!verdict.isTrusted) {
    const code = { EXPIRED: 'CA_EXPIRED', NOT_YET_VALID: 'CA_NOT_YET_VALID' } as const
    throw new PkiError(code[verdict.reason as keyof typeof code] ?? 'PKI_DIFFERENT', verdict.message)
  }
  await guardKeyFile(files.intermediateKey)
  await guardKeyFile(files.rootKey)
  return { root, signer: new CertificateAuthority({ certificate, key }, { clock }) }
}

async function readAuthorityFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) throw new PkiError('PKI_INCOMPLETE', path, { cause: error })
    throw error
  }
}

/** Keeps roots that an operator added, and sees to it that ours is among them. */
async function ensureCaBundle(files: PkiFiles, root: Certificate): Promise<readonly Certificate[]> {
  let present: Certificate[] = []
  try {
    present = parseCertificates(await readFile(files.caBundle, 'utf8'))
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
  }
  if (present.some((certificate) => certificate.equals(root))) return present
  const bundle = [root, ...present]
  await writeFileAtomic(files.caBundle, encodeCertificates(bundle), certificateFileMode)
  return bundle
}
