/**
 * New certificates for the same keys, over the control channel, before the old ones end.
 *
 * The controller keeps the new ones beside the old until the router has proved that it got them; only then are they
 * written and used. Whatever goes wrong before leaves everything as it was, and is tried again.
 */

import type { KeyObject } from 'node:crypto'
import {
  type AlternativeNames,
  type Certificate,
  encodeCertificates,
  keyMatchesCertificate,
  parseCertificates,
  type RouterFiles,
  signCertificateRequest,
  verifyChain,
  writeFileAtomic,
} from '@weft/pki'
import type { CsrConfig } from '../config/router-config.ts'
import { requestOf } from '../enroll/enroll-configured-router.ts'
import type { RouterIdentity } from '../identity/router-identity.ts'

/** What a controller issued, as PEM, leaf first. */
export interface RenewedCertificates {
  readonly clientCertPem: string
  readonly serverCertPem: string
}

/** A controller that is connected. Both reject when it refuses or says nothing in time. */
export interface RenewalController {
  /** Asks for certificates that count only once they were confirmed. */
  request(requests: { readonly clientCertCsr: string; readonly serverCertCsr: string }): Promise<RenewedCertificates>
  /** Proves that the new client certificate has arrived. */
  confirm(clientCertPem: string): Promise<void>
}

export interface CertificateRenewalDeps {
  readonly identity: RouterIdentity
  /** One that is connected now, if any. */
  readonly controller: () => RenewalController | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly log: RenewalLog
}

export interface RenewalLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
}

export interface CertificateRenewalOptions {
  readonly csr: CsrConfig | undefined
  /** Where they are written. */
  readonly files: Pick<RouterFiles, 'cert' | 'serverCert'>
  /** Renews at once, however long the present ones last. */
  readonly isForced?: boolean
}

/** The controller's answer cannot be used; the message says why. */
export class RenewalError extends Error {
  readonly code = 'BAD_RENEWAL'
}

const day = 24 * 60 * 60_000
/** How long before the end of a certificate the next one is asked for. */
export const renewalLead = 7 * day
const checkInterval = 60_000
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
    this.#isForced = options.isForced === true
  }

  start(): this {
    this.#timer ??= setInterval(() => void this.check(), checkInterval).unref()
    return this
  }

  /** Whether it is time. */
  get isDue(): boolean {
    return this.#isForced || this.#deps.now() >= this.#earliestEnd() - renewalLead
  }

  /** Renews if it is time and a controller is connected; failures are told in the log. One at a time. */
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
    const controller = this.isDue ? this.#deps.controller() : undefined
    if (controller === undefined) return
    try {
      await this.#renew(controller)
      this.#isForced = false
      this.#deps.log.info('certificates renewed', { until: new Date(this.#earliestEnd()).toISOString() })
    } catch (err) {
      this.#deps.log.warn('certificates could not be renewed; it is tried again', { err })
    }
  }

  async #renew(controller: RenewalController): Promise<void> {
    const { identity } = this.#deps
    const { client, servers } = identity.current
    const { subject, names = presentNames(servers[0]?.certificate) } = requestOf(this.#options.csr)
    const named = { subject: { ...subject, commonName: identity.routerId }, names }
    const clientKey = client!.key
    const serverKey = servers[0]?.key ?? clientKey
    const issued = await controller.request({
      clientCertCsr: signCertificateRequest({ ...named, key: clientKey }),
      serverCertCsr: signCertificateRequest({ ...named, key: serverKey }),
    })
    const clientChain = this.#checked(issued.clientCertPem, 'client', clientKey)
    const serverChain = this.#checked(issued.serverCertPem, 'server', serverKey)
    await controller.confirm(issued.clientCertPem)
    const { files } = this.#options
    await writeFileAtomic(files.serverCert, encodeCertificates(serverChain), fileMode)
    await writeFileAtomic(files.cert, encodeCertificates(clientChain), fileMode)
    if ((await identity.reload()) === 'refused') throw new RenewalError('what was written cannot be used')
  }

  /** A chain that the router can use: for its key and its name, under the authorities it trusts. */
  #checked(pem: string, purpose: 'client' | 'server', key: KeyObject): readonly Certificate[] {
    const chain = parseCertificates(pem)
    const [leaf, ...intermediates] = chain
    const { routerId, current } = this.#deps.identity
    if (leaf === undefined || !keyMatchesCertificate(key, leaf)) {
      throw new RenewalError(`the ${purpose} certificate is for another key`)
    }
    if (leaf.commonName !== routerId) throw new RenewalError(`the ${purpose} certificate is for another router`)
    const verdict = verifyChain({ leaf, intermediates, roots: current.caBundle, at: this.#deps.now() })
    if (!verdict.isTrusted) throw new RenewalError(`the ${purpose} certificate is not trusted: ${verdict.message}`)
    return chain
  }

  #earliestEnd(): number {
    const { client, servers } = this.#deps.identity.current
    return Math.min(...[client, ...servers.slice(0, 1)].map((keyed) => keyed?.certificate.notAfter ?? 0))
  }
}

/** The SPIFFE id is left out: the controller decides who the router is. */
function presentNames(certificate: Certificate | undefined): Partial<AlternativeNames> {
  if (certificate === undefined) return {}
  return { ...certificate.names, uri: certificate.names.uri.filter((uri) => !uri.startsWith('spiffe:')) }
}
