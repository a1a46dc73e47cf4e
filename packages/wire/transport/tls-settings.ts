/** What both ends of our TLS connections have in common. */
import { constants, X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls'
import { TransportError } from './transport-error.ts'

/** A certificate chain, leaf first, and the key of its leaf. */
export interface KeyedChain {
  readonly certPem: string
  readonly keyPem: string
}

/** What a server shows. */
export interface ServerMaterial {
  /** The first is what clients get, unless they ask for a name that it does not cover and another one does. */
  readonly servers: readonly KeyedChain[]
  /** Named to clients as a hint which certificate to present. A client that has none of these presents nothing. */
  readonly caPem?: string
  /** TLS 1.2 and 1.3 unless it says otherwise. */
  readonly minVersion?: SecureVersion
  readonly maxVersion?: SecureVersion
}

/** What a dialer shows, and whom it trusts. */
export interface ClientMaterial {
  readonly client?: KeyedChain
  /** Every certificate in it is an anchor, intermediates too. */
  readonly caPem: string
}

/** Elliptic curves and authenticated encryption only, as all peers have them. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

export interface NamedContext {
  readonly leaf: X509Certificate
  readonly options: SecureContextOptions
  readonly context: SecureContext
}

/** Throws `BAD_IDENTITY` when a certificate does not parse or does not fit its key. */
export function serverContexts(material: ServerMaterial): readonly [NamedContext, ...NamedContext[]] {
  const contexts = material.servers.map(({ certPem, keyPem }) =>
    named(certPem, {
      cert: certPem,
      key: keyPem,
      ...(material.caPem === undefined ? {} : { ca: material.caPem }),
      minVersion: material.minVersion ?? 'TLSv1.2',
      maxVersion: material.maxVersion ?? 'TLSv1.3',
      ciphers,
      // A resumed session would skip the client's certificate chain, and every connection is judged by it.
      secureOptions: constants.SSL_OP_NO_TICKET,
    }),
  )
  const [first, ...others] = contexts
  if (first === undefined) throw new TransportError('BAD_IDENTITY', 'a TLS server needs a certificate')
  return [first, ...others]
}

export function clientContext({ client, caPem }: ClientMaterial): SecureContext {
  const own = client === undefined ? {} : { cert: client.certPem, key: client.keyPem }
  return secured({ ...own, ca: caPem, allowPartialTrustChain: true, minVersion: 'TLSv1.2', ciphers })
}

function named(certPem: string, options: SecureContextOptions): NamedContext {
  const context = secured(options)
  return { leaf: new X509Certificate(certPem), options, context }
}

function secured(options: SecureContextOptions): SecureContext {
  try {
    return createSecureContext(options)
  } catch (cause) {
    // The platform's text names what is wrong and repeats no key.
    throw new TransportError('BAD_IDENTITY', (cause as Error).message, { cause })
  }
}
