/** Every refusal of the protobuf codec, by code. The text never repeats the bytes. */
export const protobufErrors = {
  TRUNCATED: 'a value runs past the end of its message',
  BAD_VARINT: 'a number has more than 64 bits',
  BAD_TAG: 'a field has no valid number or encoding',
  BAD_TEXT: 'a text is not UTF-8',
  TOO_LARGE: 'a number is larger than can be held exactly',
  TOO_DEEP: 'messages are nested deeper than allowed',
  TOO_MANY: 'the message holds more items than allowed',
  BAD_VALUE: 'the value does not fit its field',
} as const

/** Never reused for another meaning. */
export type ProtobufErrorCode = keyof typeof protobufErrors

/** Bytes that are no such message, or a value that no message can carry. Match on `code`. */
export class ProtobufError extends Error {
  readonly code: ProtobufErrorCode

  constructor(code: ProtobufErrorCode, detail?: string) {
    super(detail === undefined ? protobufErrors[code] : `${protobufErrors[code]}: ${detail}`)
    this.name = 'ProtobufError'
    this.code = code
  }
}
