/** Somebody who signs tokens: an identity provider, or one who pretends to be. */
import { createHmac, generateKeyPairSync, type KeyObject, type SignKeyObjectInput, sign } from 'node:crypto'

type Json = Readonly<Record<string, unknown>>

const part = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token whose last part is whatever `signature` makes of the others. */
export function compact(header: Json, claims: Json, signature: (signed: Buffer) => Buffer): string {
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${signature(Buffer.from(signed)).toString('base64url')}`
}

export function hmacToken(header: Json, claims: Json, secret: string): string {
  return compact({ alg: 'HS256', ...header }, claims, (signed) => createHmac('sha256', secret).update(signed).digest())
}

export class TokenIssuer {
  readonly algorithm: string
  readonly keyId: string
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject

  private constructor(algorithm: string, keyId: string, keys: { publicKey: KeyObject; privateKey: KeyObject }) {
    this.algorithm = algorithm
    this.keyId = keyId
    this.publicKey = keys.publicKey
    this.privateKey = keys.privateKey
  }

  static rsa(keyId = 'rsa'): TokenIssuer {
    return new TokenIssuer('RS256', keyId, generateKeyPairSync('rsa', { modulusLength: 2048 }))
  }

  static ec(keyId = 'ec', namedCurve = 'P-256'): TokenIssuer {
    return new TokenIssuer('ES256', keyId, generateKeyPairSync('ec', { namedCurve }))
  }

  get jwk(): Json {
    return { ...this.publicKey.export({ format: 'jwk' }), kid: this.keyId, use: 'sig', alg: this.algorithm }
  }

  /** `header` may lie about the algorithm; how it is signed follows from the issuer's. */
  token(claims: Json, header: Json = {}): string {
    const options = { key: this.privateKey, dsaEncoding: 'ieee-p1363' } satisfies SignKeyObjectInput
    return compact({ alg: this.algorithm, kid: this.keyId, ...header }, claims, (signed) =>
      sign('sha256', signed, options),
    )
  }
}
