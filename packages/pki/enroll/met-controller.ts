/**
 * The controller behind an enrollment token: met, recognised by the token's signature, and asked for the authorities
 * that are to be trusted from then on.
 */
import type { KeyObject } from 'node:crypto'
import { parseCaBundleText } from '../ca-bundle.ts'
import type { Certificate } from '../certificates.ts'
import type { Clock } from '../clock.ts'
import { clientApiPath } from '../identity-file.ts'
import { PkiError } from '../pki-error.ts'
import { readData, refused } from './controller-answer.ts'
import { EnrollError } from './enroll-error.ts'
import { type EnrollmentTransport, HttpsTransport, type PinnedRequest } from './https-transport.ts'
import { type ReceivedToken, verifyToken } from './received-token.ts'

/** What enrolling needs from its surroundings; the network and the clock of the machine unless told otherwise. */
export interface EnrollDeps {
  readonly transport?: EnrollmentTransport
  readonly clock?: Clock
}

/** What is posted, beside method and token. */
export interface EnrollmentPost {
  readonly path?: string
  readonly query?: Readonly<Record<string, string>>
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly clientCertificate?: PinnedRequest['clientCertificate']
}

/** Made by `meet`. */
export class MetController {
  readonly token: ReceivedToken
  readonly #transport: EnrollmentTransport
  readonly #serverKey: KeyObject
  readonly #signal: AbortSignal | undefined

  private constructor(
    token: ReceivedToken,
    transport: EnrollmentTransport,
    serverKey: KeyObject,
    signal: AbortSignal | undefined,
  ) {
    this.token = token
    this.#transport = transport
    this.#serverKey = serverKey
    this.#signal = signal
  }

  /** Looks at the server the token leads to, and refuses a token that it has not signed. */
  static async meet(token: ReceivedToken, deps: EnrollDeps, signal?: AbortSignal): Promise<MetController> {
    const transport = deps.transport ?? new HttpsTransport()
    const leaf = await transport.fetchLeaf(new URL(token.controllerUrl), { signal })
    verifyToken(token, leaf, deps.clock ?? Date)
    return new MetController(token, transport, leaf.publicKey, signal)
  }

  /** The base of the Client API, as identity files name it. */
  get clientApi(): string {
    return this.token.controllerUrl + clientApiPath
  }

  /** The authorities of the network. */
  async fetchAuthorities(): Promise<Certificate[]> {
    const answer = await this.#transport.request({
      method: 'GET',
      url: new URL(`${this.clientApi}/.well-known/est/cacerts`),
      headers: { accept: 'application/pkcs7-mime' },
      serverKey: this.#serverKey,
      signal: this.#signal,
    })
    if (answer.status !== 200) throw refused(answer)
    try {
      return parseCaBundleText(answer.body.toString('latin1'))
    } catch (cause) {
      if (!(cause instanceof PkiError)) throw cause
      throw new EnrollError('BAD_ANSWER', cause.message, { cause })
    }
  }

  /** Enrolls, and returns the `data` of the answer. */
  async enroll({ path = '/enroll', query = {}, contentType, headers, body, clientCertificate }: EnrollmentPost) {
    const url = new URL(this.clientApi + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const answer = await this.#transport.request({
      method: 'POST',
      url,
      headers: {
        accept: 'application/json',
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...headers,
      },
      body,
      clientCertificate,
      serverKey: this.#serverKey,
      signal: this.#signal,
    })
    return readData(answer)
  }
}
