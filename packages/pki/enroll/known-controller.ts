/**
 * A controller as it meets those who are enrolled: it is recognised by the authorities of the network, and everything is
 * asked under one's own certificate.
 */
import type { Identity, KeyedCertificate } from '../identity-section.ts'
import { readData } from './controller-answer.ts'
import { EnrollError } from './enroll-error.ts'
import { type EnrollmentTransport, HttpsTransport } from './https-transport.ts'

/** What asking needs beside the address. */
export interface KnownControllerDeps {
  readonly transport?: EnrollmentTransport
  readonly signal?: AbortSignal | undefined
}

/** One address of a Client API, and who asks there. */
export class KnownController {
  /** The base of the Client API, without a slash at the end. */
  readonly clientApi: string
  /** Who asks. */
  readonly client: KeyedCertificate
  readonly #authorities: string
  readonly #transport: EnrollmentTransport
  readonly #signal: AbortSignal | undefined

  /** Refuses with `MISSING_INPUT` an identity that has no certificate, or nothing to recognise a controller by. */
  constructor(
    clientApi: string,
    identity: Identity,
    { transport = new HttpsTransport(), signal }: KnownControllerDeps,
  ) {
    if (identity.client === undefined) throw new EnrollError('MISSING_INPUT', 'a certificate and its key')
    if (identity.caBundle.length === 0) throw new EnrollError('MISSING_INPUT', 'the authorities of the network')
    this.clientApi = clientApi
    this.client = identity.client
    this.#authorities = identity.caPem
    this.#transport = transport
    this.#signal = signal
  }

  /** Posts a document and returns the `data` of the answer. */
  async post(
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Record<string, unknown>> {
    const { certPem, keyPem } = this.client
    const answer = await this.#transport.request({
      method: 'POST',
      url: new URL(this.clientApi + path),
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      clientCertificate: { certPem, keyPem },
      authorities: this.#authorities,
      signal: this.#signal,
    })
    return readData(answer)
  }
}
