/** A value as JSON carries it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object. Its members are read through `Object.hasOwn`, because a member may be called `constructor`. */
export interface JsonObject {
  readonly [member: string]: JsonValue
}

/** The six kinds of JSON values a schema tells apart; an integer is a number without a fraction. */
export type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

/** The kind of a value. `undefined` counts as null: it is what an absent document reads as. */
export function kindOf(value: unknown): Kind {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'undefined':
      return 'null'
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? 'array' : 'object'
    default:
      throw new TypeError(`a ${typeof value} is not a JSON value`)
  }
}

/** Whether a value is a JSON object (not null, not a list). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
