/**
 * Something loaded from files that follows them while the process runs: an identity, or the signing certificate.
 *
 * What is new is loaded and checked as at start, and takes the place of the old only if it is sound. Until then, and
 * after any mistake, the old one serves.
 */
import type { CertificateAuthority } from './authority.ts'
import { FileWatcher, type FileWatcherOptions } from './file-watcher.ts'
import { type Identity, type IdentitySectionOptions, loadIdentitySection } from './identity-section.ts'
import type { IdentityProblem } from './section-reader.ts'
import {
  loadSigningCertificate,
  type SigningCertificate,
  type SigningCertificateOptions,
} from './signing-certificate.ts'

/** The outcome of loading. */
interface Loaded<T> {
  /** Undefined if there is any problem. */
  readonly value: T | undefined
  readonly problems: readonly IdentityProblem[]
  readonly warnings: readonly IdentityProblem[]
}

/** Who hears of what. None of them may throw. */
export interface ReloadListener<T> {
  /** The new one serves already. */
  onChange(value: T, warnings: readonly IdentityProblem[]): void
  /** The old one goes on serving. */
  onRefused(problems: readonly IdentityProblem[]): void
  /** What speaks against one that is sound in itself. */
  judge?(value: T): readonly IdentityProblem[]
}

interface Followed<T> {
  readonly load: () => Promise<Loaded<T>>
  readonly filesOf: (value: T) => readonly string[]
  readonly isSame: (one: T, other: T) => boolean
}

/** Made by `followIdentity` and `followSigningCertificate`. */
export class Reloading<T> implements AsyncDisposable {
  readonly #followed: Followed<T>
  readonly #listener: ReloadListener<T>
  #current: T
  #watcher: FileWatcher | undefined
  #reloading: Promise<unknown> = Promise.resolve()
  #isClosed = false

  private constructor(initial: T, followed: Followed<T>, listener: ReloadListener<T>) {
    this.#current = initial
    this.#followed = followed
    this.#listener = listener
  }

  /** Starts from what was loaded already; if the files have changed since, the listener hears of it first. */
  static async start<T>(
    initial: T,
    followed: Followed<T>,
    listener: ReloadListener<T>,
    options: FileWatcherOptions,
  ): Promise<Reloading<T>> {
    const reloading = new Reloading(initial, followed, listener)
    const changed = async () => void (await reloading.reload())
    reloading.#watcher = await FileWatcher.start(followed.filesOf(initial), changed, options)
    // The files may have changed between loading and watching.
    await reloading.reload()
    return reloading
  }

  /** The one that serves. */
  get current(): T {
    return this.#current
  }

  /** Looks at once, as an operator may ask for; one after another, and nothing happens after disposal. */
  async reload(): Promise<'changed' | 'same' | 'refused'> {
    const outcome = this.#reloading.then(() => this.#reload())
    // Whoever asked hears of a failure; the next one starts afresh.
    this.#reloading = outcome.catch(() => {})
    return outcome
  }

  /** Idempotent; waits for what is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#watcher?.[Symbol.asyncDispose]()
    await this.#reloading
  }

  async #reload(): Promise<'changed' | 'same' | 'refused'> {
    if (this.#isClosed) return 'same'
    const { value, problems, warnings } = await this.#followed.load()
    if (this.#isClosed) return 'same'
    if (value === undefined) {
      this.#listener.onRefused(problems)
      return 'refused'
    }
    if (this.#followed.isSame(value, this.#current)) return 'same'
    const objections = this.#listener.judge?.(value) ?? []
    if (objections.length > 0) {
      this.#listener.onRefused(objections)
      return 'refused'
    }
    this.#current = value
    await this.#watcher?.follow(this.#followed.filesOf(value))
    this.#listener.onChange(value, warnings)
    return 'changed'
  }
}

/**
 * Follows the files of an identity that was loaded from `section`. Keys and certificates are replaced; what is trusted
 * stays as it was at start, and what is new must fit it.
 */
export async function followIdentity(
  identity: Identity,
  section: Readonly<Record<string, unknown>>,
  options: IdentitySectionOptions & FileWatcherOptions,
  listener: ReloadListener<Identity>,
): Promise<Reloading<Identity>> {
  const fixed = identity.caPem === '' ? section : { ...section, ca: identity.caPem }
  const load = async () => {
    const { identity: value, problems, warnings } = await loadIdentitySection(fixed, options)
    return { value, problems, warnings }
  }
  const filesOf = ({ files }: Identity) => files
  return Reloading.start(identity, { load, filesOf, isSame: isSameIdentity }, listener, options)
}

/** Follows the files of the signing certificate that was loaded from `section`. */
export async function followSigningCertificate(
  signing: SigningCertificate,
  section: Readonly<Record<string, unknown>>,
  options: SigningCertificateOptions & FileWatcherOptions,
  listener: ReloadListener<SigningCertificate>,
): Promise<Reloading<SigningCertificate>> {
  const load = async () => {
    const { signing: value, problems, warnings } = await loadSigningCertificate(section, options)
    return { value, problems, warnings }
  }
  const filesOf = ({ files }: SigningCertificate) => files
  const isSame = (one: SigningCertificate, other: SigningCertificate) => isSameAuthority(one.authority, other.authority)
  return Reloading.start(signing, { load, filesOf, isSame }, listener, options)
}

function isSameIdentity(one: Identity, other: Identity): boolean {
  const keyed = ({ client, servers }: Identity) => [client, ...servers]
  const [these, those] = [keyed(one), keyed(other)]
  return (
    these.length === those.length &&
    these.every((it, at) => it?.certPem === those[at]?.certPem && it?.keyPem === those[at]?.keyPem)
  )
}

/** The key follows from the certificate. */
function isSameAuthority(one: CertificateAuthority, other: CertificateAuthority): boolean {
  const chain = ({ certificate, chain: above }: CertificateAuthority) => [certificate, ...above]
  const [these, those] = [chain(one), chain(other)]
  return these.length === those.length && these.every((it, at) => it.equals(those[at]!))
}
