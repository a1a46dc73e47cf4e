/**
 * The certificate files of a running controller. A renewed certificate serves as soon as its file is written; one that cannot
 * be used is told in the log, and the present one goes on serving.
 */
import {
  followIdentity,
  followSigningCertificate,
  type Identity,
  type ReloadListener,
  type SigningCertificate,
} from '@weft/pki'
import type { Clock } from './clock.ts'
import type { Logger } from './log/logger.ts'

type Section = Readonly<Record<string, unknown>>

/** The sections of the configuration that name the files. */
export interface CertificateSources {
  readonly baseDirectory: string
  readonly identity: Section
  /** By name, of those web servers that have certificates of their own. */
  readonly web: ReadonlyMap<string, Section>
  readonly signing: Section
}

/** What was loaded from them at start. */
export interface LoadedCertificates {
  readonly identity: Identity
  readonly web: ReadonlyMap<string, Identity>
  readonly signing: SigningCertificate
}

/** Who hears of new ones; neither may throw. */
export interface CertificateUsers {
  /** Of a web server with certificates of its own, or of the controller and all other servers. */
  identityRenewed(identity: Identity, server?: string): void
  signingRenewed(signing: SigningCertificate): void
}

export interface CertificateFilesDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly users: CertificateUsers
}

export class CertificateFiles implements AsyncDisposable {
  readonly #followed: AsyncDisposableStack

  private constructor(followed: AsyncDisposableStack) {
    this.#followed = followed
  }

  static async follow(
    { clock, log, users }: CertificateFilesDeps,
    loaded: LoadedCertificates,
    { baseDirectory, identity, web, signing }: CertificateSources,
  ): Promise<CertificateFiles> {
    await using followed = new AsyncDisposableStack()
    const listener = <T>(what: string, use: (value: T) => void): ReloadListener<T> => ({
      onChange(value, warnings) {
        use(value)
        log.info('certificates renewed', { what })
        for (const { path, message } of warnings) log.warn('identity', { path, problem: message })
      },
      onRefused(problems) {
        for (const { path, message } of problems) log.error('renewed certificates refused', { path, problem: message })
      },
    })
    const options = { baseDirectory, clock }
    const renew = listener<Identity>('identity', (value) => users.identityRenewed(value))
    followed.use(await followIdentity(loaded.identity, identity, { ...options, path: 'identity' }, renew))
    for (const [server, section] of web) {
      const path = `identity of web server ${server}`
      const renewOne = listener<Identity>(path, (value) => users.identityRenewed(value, server))
      followed.use(await followIdentity(loaded.web.get(server)!, section, { ...options, path }, renewOne))
    }
    const { caBundle } = loaded.identity
    const renewSigning = listener<SigningCertificate>('signing certificate', (value) => users.signingRenewed(value))
    followed.use(await followSigningCertificate(loaded.signing, signing, { ...options, caBundle }, renewSigning))
    return new CertificateFiles(followed.move())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#followed[Symbol.asyncDispose]()
  }
}
