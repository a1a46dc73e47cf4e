/**
 * Reads the keys and certificates that a section of a configuration file points to, and gathers what is wrong with them,
 * so that an operator sees everything in one go.
 */
import type { KeyObject } from 'node:crypto'
import { type Certificate, parseCertificates } from './certificates.ts'
import type { Clock } from './clock.ts'
import { keyMatchesCertificate, parsePrivateKey } from './keys.ts'
import { maxSourceBytes, type PemSource, PemSourceError, readPemSource } from './pem-source.ts'
import { PkiError } from './pki-error.ts'

/** What is wrong, and where. */
export interface IdentityProblem {
  /** Such as `identity.alt_server_certs[0].server_key`. */
  readonly path: string
  readonly message: string
}

const bundleLimits = { bytes: maxSourceBytes, blocks: 512 }

/** One pass over one section. Whatever cannot be read is undefined and has become a problem. */
export class SectionReader {
  readonly problems: IdentityProblem[] = []
  readonly warnings: IdentityProblem[] = []
  readonly #baseDirectory: string
  readonly #clock: Clock
  readonly #files = new Set<string>()

  constructor({ baseDirectory, clock }: { readonly baseDirectory: string; readonly clock: Clock }) {
    this.#baseDirectory = baseDirectory
    this.#clock = clock
  }

  /** The files read so far that are to be watched. */
  get files(): string[] {
    return [...this.#files]
  }

  async key(value: unknown, path: string): Promise<KeyObject | undefined> {
    const source = await this.#source(value, path, 'watched')
    if (source === undefined) return undefined
    if (process.platform !== 'win32' && ((source.mode ?? 0) & 0o077) !== 0) {
      this.warning(path, `the key file can be read by others (mode ${source.mode!.toString(8)}); 600 is enough`)
    }
    return this.parsed(path, () => parsePrivateKey(source.text), source.file)
  }

  async certificates(value: unknown, path: string): Promise<Certificate[] | undefined> {
    const source = await this.#source(value, path, 'watched')
    return source && this.parsed(path, () => parseCertificates(source.text, bundleLimits), source.file)
  }

  /** Read at start only: replacing what is trusted under running connections needs an operator's decision. */
  async trustBundle(value: unknown, path: string): Promise<Certificate[] | undefined> {
    const source = await this.#source(value, path, 'not watched')
    return source && this.parsed(path, () => parseCertificates(source.text, bundleLimits), source.file)
  }

  /** False, with a problem, if the key is someone else's. */
  checkKey(key: KeyObject, certificate: Certificate, path: string): boolean {
    const isMatch = this.parsed(path, () => keyMatchesCertificate(key, certificate))
    if (isMatch === false) this.problem(path, `the private key does not belong to ${named(certificate)}`)
    return isMatch === true
  }

  /** Warns of a certificate that is out of its time. */
  checkTime(certificate: Certificate, path: string): void {
    const now = this.#clock.now()
    const { notBefore, notAfter } = certificate
    if (now > notAfter) this.warning(path, `${named(certificate)} expired at ${new Date(notAfter).toISOString()}`)
    if (now < notBefore) {
      this.warning(path, `${named(certificate)} is valid only from ${new Date(notBefore).toISOString()}`)
    }
  }

  /** What `parse` returns, or undefined and a problem if it refuses; the problem names the file that was read. */
  parsed<T>(path: string, parse: () => T, file?: string): T | undefined {
    try {
      return parse()
    } catch (error) {
      if (!(error instanceof PkiError)) throw error
      this.problem(path, file === undefined ? error.message : `${file}: ${error.message}`)
      return undefined
    }
  }

  problem(path: string, message: string): void {
    this.problems.push({ path, message })
  }

  warning(path: string, message: string): void {
    this.warnings.push({ path, message })
  }

  async #source(value: unknown, path: string, use: 'watched' | 'not watched'): Promise<PemSource | undefined> {
    if (isBlank(value)) return undefined
    if (typeof value !== 'string') {
      this.problem(path, 'must be a string')
      return undefined
    }
    try {
      const source = await readPemSource(value, this.#baseDirectory)
      if (source.file !== undefined && use === 'watched') this.#files.add(source.file)
      return source
    } catch (error) {
      if (!(error instanceof PemSourceError)) throw error
      this.problem(path, error.message)
      return undefined
    }
  }
}

/** Whether a key of a section is not there, or there without a value. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** Whether a value is a section. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function named(certificate: Certificate): string {
  return `certificate ${certificate.fingerprint}`
}
