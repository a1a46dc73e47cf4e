/** Every way in which received bytes can break the protocol, by code. Of the bytes the text repeats at most four. */
export const protocolErrors = {
  BAD_MAGIC: 'the bytes do not begin a frame of version 2',
  HEADERS_TOO_LARGE: 'the headers of the frame are larger than allowed',
  BODY_TOO_LARGE: 'the body of the frame is larger than allowed',
  TOO_MANY_HEADERS: 'the frame has more headers than allowed',
  BAD_HEADERS: 'a header runs past the end of its block',
  TRUNCATED: 'the frame ends early',
  NO_MEMORY: 'too many bytes are held in unfinished frames',
  NOT_A_HELLO: 'the first frame is not a hello',
  BAD_HELLO: 'the hello cannot be used',
  BAD_MESSAGE: 'the message is not what its type promises',
} as const

/** Never reused for another meaning. */
export type ProtocolErrorCode = keyof typeof protocolErrors

/** What a decoder throws when more bytes would not help. Match on `code`. */
export class ProtocolError extends Error {
  readonly code: ProtocolErrorCode

  constructor(code: ProtocolErrorCode, detail?: string, options?: { readonly cause?: unknown }) {
    super(detail === undefined ? protocolErrors[code] : `${protocolErrors[code]}: ${detail}`, options)
    this.name = 'ProtocolError'
    this.code = code
  }
}
