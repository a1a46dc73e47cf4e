/** Every expected failure below the channel, by code. */
export const transportErrors = {
  BAD_ADDRESS: 'the address cannot be read',
  UNSUPPORTED_TRANSPORT: 'the transport is not supported',
  DIAL_FAILED: 'the connection could not be made',
  DIAL_TIMEOUT: 'the connection was not made in time',
  NOT_TRUSTED: 'the certificate of the peer is not trusted',
  NO_PROTOCOL: 'the peer speaks none of the wanted protocols',
  PROXY_REFUSED: 'the proxy refused the connection',
  LISTEN_FAILED: 'the address cannot be listened on',
  PROTOCOL_TAKEN: 'somebody else serves this protocol on the port',
  BAD_IDENTITY: 'the certificate or its key cannot be used',
} as const

/** Never reused for another meaning. */
export type TransportErrorCode = keyof typeof transportErrors

/** An expected failure: match on `code`. */
export class TransportError extends Error {
  readonly code: TransportErrorCode

  constructor(code: TransportErrorCode, detail?: string, options?: { readonly cause?: unknown }) {
    super(detail === undefined ? transportErrors[code] : `${transportErrors[code]}: ${detail}`, options)
    this.name = 'TransportError'
    this.code = code
  }
}
