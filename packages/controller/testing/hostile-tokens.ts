/**
 * What somebody makes of a good token who has seen one and knows every public key, but holds none that signed it. Nothing of
 * it may be taken for the token it was made of.
 */
import { createHash, createHmac, type KeyObject, sign } from 'node:crypto'
import { compact, TokenIssuer } from './token-issuer.ts'

type Json = Readonly<Record<string, unknown>>

const elsewhere = 'https://attacker.example/keys'

/** By what was done to the token. */
export function hostileTokens(good: string, publicKey: KeyObject): Readonly<Record<string, string>> {
  const [head = '', body = '', mark = ''] = good.split('.')
  const header = json(head)
  const claims = json(body)
  const signature = Buffer.from(mark, 'base64url')
  const unsigned = (alg: unknown) => compact({ ...header, alg }, claims, () => Buffer.alloc(0))
  const borrowed = (changes: Json) => compact({ ...header, ...changes }, claims, () => signature)
  const hmac = (alg: string, secret: string | Buffer) =>
    compact({ ...header, alg }, claims, (signed) =>
      createHmac(alg.replace('HS', 'sha'), secret).update(signed).digest(),
    )
  const [rsa, ec] = [TokenIssuer.rsa(String(header['kid'])), TokenIssuer.ec(String(header['kid']))]
  const own = header['alg'] === 'RS256' ? rsa : ec
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }))
  return {
    'cut in the signature': good.slice(0, -5),
    'cut before the signature': `${head}.${body}.`,
    'cut to two parts': `${head}.${body}`,
    'cut in the claims': good.slice(0, head.length + 10),
    'with a part more': `${good}.${mark}`,
    'with a padded signature': `${good}=`,
    'with other claims': `${head}.${part({ ...claims, sub: 'somebody-else' })}.${mark}`,
    'with other bits at the end': `${good.slice(0, -2)}${good.endsWith('AA') ? 'BB' : 'AA'}`,
    'with its signature reversed': `${head}.${body}.${Buffer.from(signature.toReversed()).toString('base64url')}`,
    'with a signature of zeros': `${head}.${body}.${Buffer.alloc(signature.length).toString('base64url')}`,
    'made longer than any token': `${head}.${part({ ...claims, filler: 'x'.repeat(9_000) })}.${mark}`,
    'by the algorithm none': unsigned('none'),
    'by the algorithm None': unsigned('None'),
    'by the algorithm NONE': unsigned('NONE'),
    'by no algorithm': unsigned(undefined),
    'by the algorithm none, with a signature': borrowed({ alg: 'none' }),
    'by an algorithm that is no text': borrowed({ alg: ['ES256'] }),
    'by HMAC with the public key as PEM': hmac('HS256', pem),
    'by HMAC with the public key as DER': hmac('HS256', der),
    'by HMAC with the public key as JWK': hmac('HS256', jwk),
    'by HMAC with the key id': hmac('HS512', String(header['kid'])),
    'by HMAC with an empty secret': hmac('HS384', ''),
    'by another key under the same id, RSA': rsa.token(claims),
    'by another key under the same id, EC': ec.token(claims),
    'by an RSA key that claims to be EC': rsa.token(claims, { alg: 'ES256' }),
    'by an EC key that claims to be RSA': ec.token(claims, { alg: 'RS256' }),
    'by the right key under another algorithm': borrowed({ alg: 'PS256' }),
    'by the right key on another curve': borrowed({ alg: 'ES384' }),
    'by a key that it brings along': own.token(claims, { jwk: own.jwk }),
    'by a key that is to be fetched': own.token(claims, { jku: elsewhere }),
    'by a certificate that is to be fetched': own.token(claims, { x5u: elsewhere }),
    'by a certificate that it brings along': own.token(claims, { x5c: [der.toString('base64')], x5t: digest(der) }),
    'by a key at a path': own.token(claims, { kid: '../../../../dev/null' }),
    'by a key of no name': own.token(claims, { kid: '' }),
    'by several keys': own.token(claims, { kid: [header['kid']] }),
    'by a key that every object has': own.token(claims, { kid: '__proto__' }),
    'marked as critical': borrowed({ crit: ['exp'], exp: 1 }),
    'whose claims are said to be no base64': borrowed({ crit: ['b64'], b64: false }),
    'in DER, as certificates have it': compact(header, claims, (signed) => sign('sha256', signed, own.privateKey)),
  }
}

function json(text: string): Json {
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
}

function part(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function digest(bytes: Buffer): string {
  return createHash('sha1').update(bytes).digest('base64url')
}
