/**
 * Renews the certificates of the router over the control channel, a week before they end or when an operator asks.
 *
 *   router      a request for the present key               controller   signs, and keeps both as not yet proved
 *   controller  the certificates                            router       checks them
 *   router      shows what it got                           controller   from now on the router is known by it
 *   router      writes the files, and uses them for new connections
 *
 * Nothing is written before the last step, so that a message that is lost costs nothing but another attempt.
 */
import {
  type AlternativeNames,
  type Certificate,
  encodeCertificates,
  type Identity,
  keyMatchesCertificate,
  parseCertificates,
  parseSpiffeId,
  type RouterFiles,
  signCertificateRequest,
  verifyChain,
  writeFileAtomic,
} from '@weft/pki'
import type { CsrConfig } from '../config/router-config.ts'
import { requestOf } from '../enroll/enroll-configured-router.ts'
import type { IdentityLog, RouterIdentity } from '../identity/router-identity.ts'

/** What is asked for. */
export interface RenewalRequest {
  readonly clientCertCsr: string
  readonly serverCertCsr: string
}

/** What comes back: chains as PEM, leaf first. */
export interface RenewedCertificates {
  readonly clientCertPem: string
  readonly serverCertPem: string
}

/** A controller that renews. */
export interface RenewalController {
  request(request: RenewalRequest): Promise<RenewedCertificates>
  /** Rejects when the controller does not recognise the certificate; it goes on knowing the router by the old one. */
  confirm(clientCertPem: string): Promise<void>
}

export interface CertificateRenewalDeps {
  readonly identity: Pick<RouterIdentity, 'current' | 'routerId' | 'reload'>
  /** Who is asked; undefined while nobody is connected. */
  readonly controller: () => RenewalController | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: IdentityLog
}

export interface CertificateRenewalOptions {
  /** What is certified; without it the names stay as they are. */
  readonly csr: CsrConfig | undefined
  /** Where certificates lie; undefined where they are in no files, and nothing can be renewed. */
  readonly files: RouterFiles | undefined
  /** Whether an operator wants it now. */
  readonly isForced: boolean
}

const day = 24 * 3_600_000
const renewBefore = 7 * day
const checkInterval = 3_600_000
const fileMode = 0o644

export class CertificateRenewal implements AsyncDisposable {
  readonly #deps: CertificateRenewalDeps
  readonly #options: CertificateRenewalOptions
  #isForced: boolean
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> | undefined

  constructor(deps: CertificateRenewalDeps, options: CertificateRenewalOptions) {
    this.#deps = deps
    this.#options = options
    this.#isForced = options.isForced
  }

  start(): this {
    this.#timer ??= setInterval(() => void this.check(), checkInterval).unref()
    return this
  }

  get isDue(): boolean {
    const { client, servers } = this.#deps.identity.current
    const limit = this.#deps.now() + renewBefore
    return this.#isForced || [client, servers[0]].some((own) => own !== undefined && own.certificate.notAfter < limit)
  }

  /** Renews what is due; a failure is logged and tried again. One that is under way is not joined by a second. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#checking
  }

  async #check(): Promise<void> {
    const controller = this.#deps.controller()
    if (controller === undefined || !this.isDue) return
    const { files } = this.#options
    if (files === undefined) {
      this.#deps.log.warn('certificates cannot be renewed: they do not lie in files')
      return
    }
    try {
      await this.#renew(controller, files)
    } catch (err) {
      this.#deps.log.warn('certificates not renewed', { err })
    }
  }

  async #renew(controller: RenewalController, files: RouterFiles): Promise<void> {
    const { identity, log } = this.#deps
    const key = identity.current.client?.key
    if (key === undefined) return
    const { subject, names } = this.#request(identity.current)
    const csr = signCertificateRequest({ subject: { ...subject, commonName: identity.routerId }, key, names })
    const answer = await controller.request({ clientCertCsr: csr, serverCertCsr: csr })
    const client = this.#checked(answer.clientCertPem, 'the client certificate')
    const server = this.#checked(answer.serverCertPem, 'the server certificate')
    await controller.confirm(answer.clientCertPem)
    await writeFileAtomic(files.serverCert, encodeCertificates(server), fileMode)
    await writeFileAtomic(files.cert, encodeCertificates(client), fileMode)
    await identity.reload()
    this.#isForced = false
    log.info('certificates renewed', { until: new Date(client[0]!.notAfter).toISOString() })
  }

  #request({ servers }: Identity): ReturnType<typeof requestOf> & { readonly names: Partial<AlternativeNames> } {
    const { csr } = this.#options
    if (csr !== undefined) return { ...requestOf(csr), names: csr.sans }
    const names = servers[0]?.certificate.names
    if (names === undefined) return { names: {} }
    // The controller decides who the router is.
    return { names: { ...names, uri: names.uri.filter((uri) => parseSpiffeId(uri) === undefined) } }
  }

  #checked(pem: string, what: string): readonly Certificate[] {
    const { current, routerId } = this.#deps.identity
    const [leaf, ...intermediates] = parseCertificates(pem)
    if (leaf === undefined || !keyMatchesCertificate(current.client!.key, leaf)) {
      throw new Error(`${what} is for another key`)
    }
    if (leaf.commonName !== routerId) throw new Error(`${what} is for another router`)
    const verdict = verifyChain({ leaf, intermediates, roots: current.caBundle, at: 'any time' })
    if (!verdict.isTrusted) throw new Error(`${what} is not trusted: ${verdict.message}`)
    return [leaf, ...intermediates]
  }
}
