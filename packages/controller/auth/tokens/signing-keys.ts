/**
 * The keys of the controller's tokens: the one that signs, and those that have signed tokens which may still be alive.
 *
 * Tokens are signed with the key of the TLS certificate that clients meet, and name it by its fingerprint. When the
 * certificate is renewed the former key goes on verifying until the last token it signed has ended.
 */
import type { KeyObject } from 'node:crypto'
import type { Certificate, Identity, TokenAlgorithm, TokenSigner } from '@weft/pki'
import type { Clock } from '../../clock.ts'
import { signerForAddress } from './signer-for-address.ts'

export interface SigningKeysOptions {
  readonly identity: Identity
  /** `edge.api.address`, host and port: the certificate that covers it signs. */
  readonly apiAddress: string
  /** Milliseconds: how long the longest-lived token lives. */
  readonly longestLife: number
}

/** One public key as it is published. */
export interface PublishedKey {
  readonly use: 'sig'
  readonly kid: string
  readonly alg: TokenAlgorithm
  readonly kty: string
  readonly [member: string]: unknown
}

/** A key together with the one algorithm it signs with. */
export interface VerificationKey {
  readonly algorithm: TokenAlgorithm
  readonly key: KeyObject
}

interface KnownKey extends VerificationKey {
  readonly published: PublishedKey
  readonly certificate: Certificate
  /** Milliseconds; undefined while it signs. */
  retiredUntil: number | undefined
}

/** Certificates are renewed every few months; more than this many at once is a mistake that must not grow. */
const MOST_KEYS = 8

export class SigningKeys {
  readonly #options: Omit<SigningKeysOptions, 'identity'>
  readonly #clock: Clock
  readonly #known = new Map<string, KnownKey>()
  #signer: TokenSigner

  constructor({ identity, ...options }: SigningKeysOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
    this.#signer = signerForAddress(identity, options.apiAddress)
    this.#remember(this.#signer)
  }

  /** Signs with new certificates from now on. */
  renew(identity: Identity): void {
    const signer = signerForAddress(identity, this.#options.apiAddress)
    if (signer.keyId === this.#signer.keyId) return
    const former = this.#known.get(this.#signer.keyId)
    if (former !== undefined) former.retiredUntil = this.#clock.now() + this.#options.longestLife
    this.#signer = signer
    this.#remember(signer)
  }

  get algorithm(): TokenAlgorithm {
    return this.#signer.algorithm
  }

  /** The `kid` of what is signed now. */
  get keyId(): string {
    return this.#signer.keyId
  }

  sign(claims: object): string {
    return this.#signer.sign(claims)
  }

  /** The key of a `kid`; undefined when no controller of this network signs with it. */
  find(keyId: unknown): VerificationKey | undefined {
    return typeof keyId === 'string' ? this.#live().get(keyId) : undefined
  }

  /** What verifiers are given, the present key first. */
  published(): readonly PublishedKey[] {
    return [...this.#live().values()].map(({ published }) => published).reverse()
  }

  /** The certificates of all of them: routers verify tokens by these. */
  certificates(): readonly Certificate[] {
    return [...this.#live().values()].map(({ certificate }) => certificate)
  }

  #live(): ReadonlyMap<string, KnownKey> {
    const now = this.#clock.now()
    for (const [keyId, { retiredUntil }] of this.#known) {
      if (retiredUntil !== undefined && retiredUntil <= now) this.#known.delete(keyId)
    }
    return this.#known
  }

  #remember({ keyId, algorithm, certificate }: TokenSigner): void {
    const key = certificate.publicKey
    const { kty = '', ...numbers } = key.export({ format: 'jwk' })
    const published: PublishedKey = { ...numbers, use: 'sig', kty, kid: keyId, alg: algorithm }
    this.#known.delete(keyId)
    this.#known.set(keyId, { key, algorithm, certificate, published, retiredUntil: undefined })
    while (this.#known.size > MOST_KEYS) this.#known.delete(this.#known.keys().next().value!)
  }
}
