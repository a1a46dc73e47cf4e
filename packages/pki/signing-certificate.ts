/**
 * The authority that signs what is enrolled, from `edge.enrollment.signingCert` of a controller's configuration: its
 * certificate (alone or with those above it), its key, and where needed the authorities above it.
 *
 * Everything that is wrong is found in one go, as for identity sections. An authority out of its time is a warning: the
 * controller must come up to serve those who are enrolled already.
 */
import { CertificateAuthority } from './authority.ts'
import type { Certificate } from './certificates.ts'
import type { Clock } from './clock.ts'
import { completeChain, withoutRoot } from './complete-chain.ts'
import { tokenAlgorithmOf } from './keys.ts'
import { type IdentityProblem, isBlank, isRecord, SectionReader } from './section-reader.ts'

/** How to read the section. */
export interface SigningCertificateOptions {
  /** What relative paths are relative to. */
  readonly baseDirectory: string
  readonly clock: Clock
  /** Where the section stands, for messages. */
  readonly path?: string
  /** The identity's `ca`, from which the chain is completed. */
  readonly caBundle?: readonly Certificate[]
}

/** A section that loaded. */
export interface SigningCertificate {
  readonly authority: CertificateAuthority
  /** All authorities of `cert` and `ca`: they belong to the network's own. */
  readonly authorities: readonly Certificate[]
  /** To be watched for changes. */
  readonly files: readonly string[]
}

/** The outcome: an authority, or why there is none. */
export interface LoadedSigningCertificate {
  /** Undefined if there is any problem. */
  readonly signing: SigningCertificate | undefined
  readonly problems: readonly IdentityProblem[]
  readonly warnings: readonly IdentityProblem[]
}

/** Reads and checks the section; never throws for what is in it or in its files. */
export async function loadSigningCertificate(
  section: unknown,
  options: SigningCertificateOptions,
): Promise<LoadedSigningCertificate> {
  const reader = new SectionReader(options)
  const signing = await load(section, options, reader)
  const { problems, warnings } = reader
  return { signing: problems.length === 0 ? signing : undefined, problems, warnings }
}

async function load(
  section: unknown,
  { clock, path = 'edge.enrollment.signingCert', caBundle = [] }: SigningCertificateOptions,
  reader: SectionReader,
): Promise<SigningCertificate | undefined> {
  if (!isRecord(section)) {
    reader.problem(path, 'must be a section with cert and key')
    return undefined
  }
  for (const name of ['cert', 'key']) if (isBlank(section[name])) reader.problem(`${path}.${name}`, 'is missing')
  const certificates = (await reader.certificates(section['cert'], `${path}.cert`)) ?? []
  const key = await reader.key(section['key'], `${path}.key`)
  const above = (await reader.trustBundle(section['ca'], `${path}.ca`)) ?? []
  const [certificate] = certificates
  if (certificate === undefined || key === undefined) return undefined

  if (!certificate.isCa) reader.problem(`${path}.cert`, 'may not sign certificates: it is not a CA')
  const canSign = reader.parsed(`${path}.key`, () => tokenAlgorithmOf(key)) !== undefined
  if (!canSign || !certificate.isCa || !reader.checkKey(key, certificate, `${path}.key`)) return undefined
  reader.checkTime(certificate, `${path}.cert`)
  const chain = completeChain(certificate, [...certificates, ...above, ...caBundle])
  if (!chain[chain.length - 1]!.isSelfSigned) {
    reader.warning(`${path}.ca`, 'the authorities above it do not reach a root; peers may not be able to complete them')
  }
  const issuers = withoutRoot(chain).slice(1)
  return {
    authority: new CertificateAuthority({ certificate, key, issuers }, { clock }),
    authorities: [...certificates, ...above].filter(({ isCa }) => isCa),
    files: reader.files,
  }
}
