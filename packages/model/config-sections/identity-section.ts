import { listOf, optional, required, section, text, type ValueOf } from '../config-file/index.ts'

const place = 'a path, `file:` and a path, or `pem:` and the text itself'

/** Certificates and keys of a TLS endpoint. Values are places; what lies there is loaded later. */
export const identitySection = section({
  keys: {
    cert: required(text(), `The client certificate chain, leaf first: ${place}.`),
    key: required(text(), 'The private key of `cert`.'),
    serverCert: optional(text(), 'The server certificate chain; without it `cert` serves.', { name: 'server_cert' }),
    serverKey: optional(text(), 'The private key of `server_cert`; without it `key` serves.', { name: 'server_key' }),
    ca: required(text(), 'The certificates that are trusted.'),
    altServerCerts: optional(
      listOf(
        section({
          keys: {
            serverCert: required(text(), 'A further server certificate chain.', { name: 'server_cert' }),
            serverKey: optional(text(), 'Its private key; without it `key` serves.', { name: 'server_key' }),
          },
        }),
      ),
      'Further server certificates, chosen by the name a client asks for.',
      { name: 'alt_server_certs' },
    ),
  },
})

/** Where the certificates and keys of an endpoint are, with every fallback applied. */
export interface IdentityConfig {
  readonly cert: string
  readonly key: string
  readonly serverCert: string
  readonly serverKey: string
  readonly ca: string
  readonly altServerCerts: readonly { readonly serverCert: string; readonly serverKey: string }[]
}

/** Applies the fallbacks: one certificate and key may serve as both client and server. */
export function assembleIdentity(read: ValueOf<typeof identitySection.keys>): IdentityConfig {
  const { cert, key, ca } = read
  return {
    cert,
    key,
    serverCert: read.serverCert ?? cert,
    serverKey: read.serverKey ?? key,
    ca,
    altServerCerts: (read.altServerCerts ?? []).map(({ serverCert, serverKey }) => ({
      serverCert,
      serverKey: serverKey ?? key,
    })),
  }
}
