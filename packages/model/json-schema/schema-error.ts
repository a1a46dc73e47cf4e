/** Why a schema was refused. */
export const schemaErrorCodes = {
  TOO_LARGE: 'the schema exceeds a size limit',
  INVALID_KEYWORD: 'a keyword has a value it cannot have',
  INVALID_PATTERN: 'a pattern is not a regular expression, or too costly',
  REMOTE_REFERENCE: 'a $ref leads out of the schema',
  UNRESOLVED_REFERENCE: 'a $ref leads to nothing in the schema',
  ENDLESS_REFERENCE: 'a schema applies itself to the same value again',
} as const

/** A key of {@link schemaErrorCodes}. */
export type SchemaErrorCode = keyof typeof schemaErrorCodes

/**
 * A schema that cannot be compiled.
 *
 * `reason` is worded as the peers word it, since clients show it; `path` is the JSON pointer (`#/properties/port`) of the
 * schema that holds the keyword; `message` is the reason, followed by the path where that is not the root.
 */
export class SchemaError extends Error {
  readonly code: SchemaErrorCode
  readonly path: string
  readonly reason: string

  constructor(code: SchemaErrorCode, path: string, reason: string, options?: ErrorOptions) {
    super(path === '#' ? reason : `${reason} (at ${path})`, options)
    this.name = 'SchemaError'
    this.code = code
    this.path = path
    this.reason = reason
  }
}
