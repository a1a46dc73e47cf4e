/** Every way in which a message is not what its catalogue says, by code. The text never repeats the bytes. */
export const messageErrors = {
  UNKNOWN_MESSAGE: 'no message of this type is known on the channel',
  WRONG_SIDE: 'the message may not come from this side',
  WRONG_REPLY: 'the request has no reply of this type',
  MISSING_HEADER: 'the message lacks a header',
  BAD_HEADER: 'a header does not hold what it should',
  BAD_BODY: 'the body does not hold what it should',
  BAD_VALUE: 'the message cannot carry the value',
} as const

/** Never reused for another meaning. */
export type MessageErrorCode = keyof typeof messageErrors

/** A message that cannot be understood, or not be written. Match on `code`. */
export class MessageError extends Error {
  readonly code: MessageErrorCode

  constructor(code: MessageErrorCode, detail: string, options?: { readonly cause?: unknown }) {
    super(`${messageErrors[code]}: ${detail}`, options)
    this.name = 'MessageError'
    this.code = code
  }
}
