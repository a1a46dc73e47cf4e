/**
 * A PKI in a directory with one folder per authority, made and extended step by step.
 *
 * `folder-layout.ts` draws it. Nothing that is there is replaced unless the caller says so, and an authority never is:
 * everything below it would be worth nothing. Of the files of one name the key comes first and the certificate last, so
 * that what was interrupted is seen and can be finished.
 */
import type { KeyObject } from 'node:crypto'
import { resolve } from 'node:path'
import { type AuthorityRequest, CertificateAuthority } from '../authority.ts'
import { type Certificate, encodeCertificates, parseCertificates, parseLeafCertificate } from '../certificates.ts'
import type { Clock } from '../clock.ts'
import { completeChain, withoutRoot } from '../complete-chain.ts'
import type { DistinguishedName } from '../distinguished-name.ts'
import type { AlternativeNames, Purpose } from '../extensions.ts'
import {
  defaultKeyKind,
  encodePrivateKey,
  generatePrivateKey,
  type KeyKind,
  keyMatchesCertificate,
  parsePrivateKey,
  publicKeyOf,
} from '../keys.ts'
import { PkiError } from '../pki-error.ts'
import { certificateFileMode, keyFileMode } from '../pki-files.ts'
import { signCertificateRequest } from '../sign-certificate-request.ts'
import { parseSpiffeId, spiffeIdOf } from '../spiffe.ts'
import { writeFileAtomic } from '../write-file-atomic.ts'
import { type FolderEntry, findEntry, listAuthorities, listEntries, purposesOf } from './folder-entries.ts'
import { createFolderFile, readFolderFile } from './folder-file.ts'
import { createAuthorityFolder, type EntryFiles, entryFiles, recordIssued } from './folder-layout.ts'

/** A new authority under a name of its own. */
export interface FolderAuthorityRequest extends AuthorityRequest {
  readonly name: string
}

/** Where something new is stored, and whether it may take the place of something else. */
export interface FolderPlace {
  readonly authority: string
  readonly name: string
  readonly existing?: 'refuse' | 'replace'
}

/** A new server's or client's certificate. */
export interface FolderLeafRequest extends FolderPlace {
  readonly subject: DistinguishedName
  readonly purpose: Purpose
  readonly names?: Partial<Omit<AlternativeNames, 'uri'>>
  /** Complete, or the path of one in the authority's trust domain, such as `controller/ctrl1`. */
  readonly spiffeId?: string
  /** A key that is in the authority's folder already; otherwise one is made and takes the certificate's name. */
  readonly keyName?: string
  readonly keyKind?: KeyKind
  readonly lifetime?: number
}

/** A new request for a certificate of somebody else's authority. */
export interface FolderCsrRequest extends FolderPlace {
  readonly subject: DistinguishedName
  readonly names?: Partial<AlternativeNames>
  readonly keyName?: string
  readonly keyKind?: KeyKind
}

/** An authority with all that is above it, root included where it is known. */
export interface FolderAuthority {
  readonly authority: CertificateAuthority
  /** Its own certificate first. */
  readonly path: readonly Certificate[]
}

/** Made cheaply; every call looks at the disk. */
export class PkiFolder {
  /** Absolute. */
  readonly root: string
  readonly #clock: Clock

  constructor(root: string, deps: { readonly clock: Clock }) {
    this.root = resolve(root)
    this.#clock = deps.clock
  }

  /** The names of the authorities. */
  authorities(): Promise<string[]> {
    return listAuthorities(this.root)
  }

  /** Everything in the PKI. */
  list(): Promise<FolderEntry[]> {
    return listEntries(this.root)
  }

  /** An authority that signs; its key has to be there. */
  async loadAuthority(name: string): Promise<FolderAuthority> {
    const files = entryFiles(this.root, name, name)
    const certificate = await readFolderFile(files.cert, parseLeafCertificate)
    if (certificate === undefined) throw new PkiError('NO_SUCH_AUTHORITY', `"${name}" in ${this.root}`)
    const key = await this.#loadKey(files.key)
    // A root has no chain file, and other tools may not have made one.
    const above = (await readFolderFile(files.chain, parseCertificates)) ?? []
    const path = completeChain(certificate, above)
    const issuers = withoutRoot(path).slice(1)
    return { authority: new CertificateAuthority({ certificate, key, issuers }, { clock: this.#clock }), path }
  }

  /** A root. Without a trust domain, nothing below it can have a SPIFFE id by path alone. */
  async createRoot(request: FolderAuthorityRequest & { readonly trustDomain?: string }): Promise<FolderEntry> {
    const { name } = request
    const { authority } = await this.#newFolder(name, async () => {
      const root = await CertificateAuthority.createRoot(request, { clock: this.#clock })
      return { authority: root, path: [root.certificate] }
    })
    await recordIssued(this.root, name, { name, certificate: authority.certificate })
    return this.#entry(name, name)
  }

  /** An authority below another one. */
  async createIntermediate(request: FolderAuthorityRequest & { readonly authority: string }): Promise<FolderEntry> {
    const { authority: issuerName, name } = request
    const issuer = await this.loadAuthority(issuerName)
    const { pathLength: limit } = issuer.authority.certificate.content
    if (limit !== undefined && (request.pathLength ?? 0) >= limit) {
      throw new PkiError('PATH_TOO_LONG', `${limit} below "${issuerName}"`)
    }
    await this.#refuseTaken(request, ['key', 'cert', 'chain'])
    const { authority } = await this.#newFolder(name, async () => {
      const made = await issuer.authority.createIntermediate(request)
      return { authority: made, path: [made.certificate, ...issuer.path] }
    })
    const copy = entryFiles(this.root, issuerName, name).cert
    await createFolderFile(copy, authority.certificate.pem, certificateFileMode)
    await recordIssued(this.root, issuerName, { name, certificate: authority.certificate })
    return this.#entry(name, name)
  }

  /** A certificate for a server or a client, with its chain. */
  async createLeaf(request: FolderLeafRequest): Promise<FolderEntry> {
    const { authority: issuerName, name, subject, purpose, lifetime, existing } = request
    const files = entryFiles(this.root, issuerName, name)
    const { authority, path } = await this.loadAuthority(issuerName)
    const spiffeId = request.spiffeId === undefined ? [] : [completeSpiffeId(request.spiffeId, authority.certificate)]
    await this.#refuseTaken(request, request.keyName === name ? ['cert', 'chain'] : ['key', 'cert', 'chain'])
    const key = await this.#keyFor(request)
    const { certificate } = authority.issue({
      subject,
      publicKey: publicKeyOf(key),
      purposes: [purpose],
      names: { ...request.names, uri: spiffeId },
      ...(lifetime !== undefined && { lifetime }),
    })
    const write = writerFor(existing)
    if (request.keyName === undefined) await write(files.key, encodePrivateKey(key), keyFileMode)
    await write(files.chain, encodeCertificates([certificate, ...path]), certificateFileMode)
    await write(files.cert, certificate.pem, certificateFileMode)
    await recordIssued(this.root, issuerName, { name, certificate })
    return this.#entry(issuerName, name)
  }

  /** The certificate that is there once more, for the same key and with the same names, from now on. */
  async renewLeaf(request: { authority: string; name: string; lifetime?: number }): Promise<FolderEntry> {
    const { authority: issuerName, name, lifetime } = request
    const files = entryFiles(this.root, issuerName, name)
    const { authority, path } = await this.loadAuthority(issuerName)
    const present = await readFolderFile(files.cert, parseLeafCertificate)
    if (present === undefined) throw new PkiError('NO_SUCH_CERTIFICATE', files.cert)
    if (present.isCa) throw new PkiError('NAME_TAKEN', `"${name}" is an authority`)
    const key = await this.#loadKey(files.key)
    if (!keyMatchesCertificate(key, present)) throw new PkiError('KEY_MISMATCH', files.key)
    const { certificate } = authority.issue({
      subject: present.content.subject,
      publicKey: publicKeyOf(key),
      purposes: purposesOf(present),
      names: present.names,
      ...(lifetime !== undefined && { lifetime }),
    })
    await writeFileAtomic(files.chain, encodeCertificates([certificate, ...path]), certificateFileMode)
    await writeFileAtomic(files.cert, certificate.pem, certificateFileMode)
    await recordIssued(this.root, issuerName, { name, certificate })
    return this.#entry(issuerName, name)
  }

  /** A key alone, for a certificate to come. */
  async createKey(request: FolderPlace & { readonly keyKind?: KeyKind }): Promise<FolderEntry> {
    const { authority, name, existing } = request
    await this.#refuseUnknown(authority)
    await this.#refuseTaken(request, ['key'])
    const key = await this.#keyFor(request)
    await writerFor(existing)(entryFiles(this.root, authority, name).key, encodePrivateKey(key), keyFileMode)
    return this.#entry(authority, name)
  }

  /** A request for a certificate, beside its key. */
  async createCertificateRequest(request: FolderCsrRequest): Promise<FolderEntry> {
    const { authority, name, subject, names, existing } = request
    const files = entryFiles(this.root, authority, name)
    await this.#refuseUnknown(authority)
    await this.#refuseTaken(request, request.keyName === undefined ? ['key', 'request'] : ['request'])
    const key = await this.#keyFor(request)
    const csr = signCertificateRequest({ subject, key, ...(names && { names }) })
    const write = writerFor(existing)
    if (request.keyName === undefined) await write(files.key, encodePrivateKey(key), keyFileMode)
    await write(files.request, csr, certificateFileMode)
    return this.#entry(authority, name)
  }

  async #newFolder(name: string, make: () => Promise<FolderAuthority>): Promise<FolderAuthority> {
    let made: FolderAuthority | undefined
    await createAuthorityFolder(this.root, name, async () => {
      made = await make()
      const files = entryFiles(this.root, name, name)
      await createFolderFile(files.key, encodePrivateKey(made.authority.key), keyFileMode)
      if (made.path.length > 1) await createFolderFile(files.chain, encodeCertificates(made.path), certificateFileMode)
      await createFolderFile(files.cert, made.authority.certificate.pem, certificateFileMode)
    })
    return made!
  }

  /** The key that is named, or a new one that is nowhere yet. */
  #keyFor(request: {
    readonly authority: string
    readonly keyName?: string
    readonly keyKind?: KeyKind
  }): Promise<KeyObject> {
    const { authority, keyName, keyKind = defaultKeyKind } = request
    if (keyName === undefined) return generatePrivateKey(keyKind)
    return this.#loadKey(entryFiles(this.root, authority, keyName).key)
  }

  /** Authorities stay even where things may be replaced. */
  async #refuseTaken(
    { authority, name, existing = 'refuse' }: FolderPlace,
    parts: readonly (keyof EntryFiles)[],
  ): Promise<void> {
    const entry = await findEntry(this.root, authority, name)
    if (entry === undefined) return
    const isAuthority = entry.certificate?.isCa === true && parts.some((part) => part !== 'request')
    const taken = isAuthority ? entry.files.cert : parts.map((part) => entry.files[part]).find((file) => file)
    if (taken !== undefined && (isAuthority || existing === 'refuse')) throw new PkiError('NAME_TAKEN', taken)
  }

  async #loadKey(path: string): Promise<KeyObject> {
    const key = await readFolderFile(path, parsePrivateKey)
    if (key === undefined) throw new PkiError('NO_SUCH_KEY', path)
    return key
  }

  async #refuseUnknown(authority: string): Promise<void> {
    if (!(await this.authorities()).includes(authority)) {
      throw new PkiError('NO_SUCH_AUTHORITY', `"${authority}" in ${this.root}`)
    }
  }

  async #entry(authority: string, name: string): Promise<FolderEntry> {
    return (await findEntry(this.root, authority, name))!
  }
}

function writerFor(existing: FolderPlace['existing']): typeof writeFileAtomic {
  return existing === 'replace' ? writeFileAtomic : createFolderFile
}

/** A path such as `controller/ctrl1` below the trust domain of whoever signs. */
function completeSpiffeId(text: string, signer: Certificate): string {
  if (text.includes('://')) {
    parseSpiffeId(text)
    return text
  }
  const trustDomain = spiffeIdOf(signer)?.trustDomain
  if (trustDomain === undefined) {
    throw new PkiError(
      'BAD_SPIFFE_ID',
      'the authority names no trust domain; give the id complete, as spiffe://DOMAIN/PATH',
    )
  }
  const complete = `spiffe://${trustDomain}/${text.replace(/^\/+/, '')}`
  parseSpiffeId(complete)
  return complete
}
