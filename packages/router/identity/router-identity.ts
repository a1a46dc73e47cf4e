/**
 * Who the router is: its certificates and keys, loaded from where the configuration says and followed when they change.
 *
 * Whoever dials or listens takes `current` for each new connection, or is told of changes. What cannot be used is told in
 * the log, and what served before goes on serving.
 */
import type { IdentityConfig } from '@weft/model/config-sections'
import {
  type Clock,
  followIdentity,
  type Identity,
  type IdentityProblem,
  loadIdentitySection,
  type Reloading,
} from '@weft/pki'

/** The certificates and keys of a router cannot be used; the message names every key of the file that is wrong. */
export class RouterIdentityError extends Error {
  readonly code = 'BAD_IDENTITY'
  readonly problems: readonly IdentityProblem[]

  constructor(problems: readonly IdentityProblem[]) {
    super(problems.map(({ path, message }) => `${path} ${message}`).join('\n'))
    this.name = 'RouterIdentityError'
    this.problems = problems
  }
}

export interface RouterIdentityDeps {
  readonly clock: Clock
  readonly log: IdentityLog
}

export interface IdentityLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

export interface RouterIdentityOptions {
  readonly section: IdentityConfig
  /** What relative paths are relative to. */
  readonly baseDirectory: string
  /** Quiet time in milliseconds before changed files are read; the usual one when absent. */
  readonly debounce?: number
}

export class RouterIdentity implements AsyncDisposable {
  /** The id of the router: the common name of its client certificate. */
  readonly routerId: string
  readonly #following: Reloading<Identity>
  readonly #users: Set<(identity: Identity) => void>

  private constructor(routerId: string, following: Reloading<Identity>, users: Set<(identity: Identity) => void>) {
    this.routerId = routerId
    this.#following = following
    this.#users = users
  }

  /** Rejects with `RouterIdentityError` and everything that is wrong. */
  static async load({ clock, log }: RouterIdentityDeps, options: RouterIdentityOptions): Promise<RouterIdentity> {
    const { section, baseDirectory, debounce } = options
    const keys = sectionKeys(section)
    const from = { baseDirectory, clock, path: 'identity' }
    const { identity, problems, warnings } = await loadIdentitySection(keys, from)
    if (identity?.client === undefined) throw new RouterIdentityError(problems)
    const warn = (found: readonly IdentityProblem[]) => {
      for (const { path, message } of found) log.warn('identity', { path, problem: message })
    }
    warn(warnings)
    const routerId = identity.client.certificate.commonName
    if (routerId === '') {
      throw new RouterIdentityError([
        { path: 'identity.cert', message: 'has no common name, which is the id of a router' },
      ])
    }
    const users = new Set<(identity: Identity) => void>()
    const following = await followIdentity(
      identity,
      keys,
      { ...from, ...(debounce === undefined ? {} : { debounce }) },
      {
        onChange(renewed, found) {
          log.info('certificates renewed')
          warn(found)
          for (const use of users) use(renewed)
        },
        judge({ client }) {
          const name = client?.certificate.commonName
          if (name === routerId) return []
          const message = `is that of ${name}, and this is ${routerId}; a router becomes another only by a new start`
          return [{ path: 'identity.cert', message }]
        },
        onRefused(found) {
          for (const { path, message } of found) log.error('renewed certificates refused', { path, problem: message })
        },
      },
    )
    return new RouterIdentity(routerId, following, users)
  }

  get current(): Identity {
    return this.#following.current
  }

  /** Looks at the files at once, as after writing them. */
  async reload(): Promise<'changed' | 'same' | 'refused'> {
    return this.#following.reload()
  }

  /** Hears of each change from now on; it may not throw. Disposing ends that. */
  onChange(use: (identity: Identity) => void): Disposable {
    this.#users.add(use)
    return { [Symbol.dispose]: () => void this.#users.delete(use) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#users.clear()
    await this.#following[Symbol.asyncDispose]()
  }
}

/** A section under the keys of the file. */
export function sectionKeys(section: IdentityConfig): Readonly<Record<string, unknown>> {
  return {
    cert: section.cert,
    key: section.key,
    server_cert: section.serverCert,
    // Read once where it is the same, so that a mistake is told once.
    ...(section.serverKey === section.key ? {} : { server_key: section.serverKey }),
    ca: section.ca,
    alt_server_certs: section.altServerCerts.map(({ serverCert, serverKey }) => ({
      server_cert: serverCert,
      server_key: serverKey,
    })),
  }
}
