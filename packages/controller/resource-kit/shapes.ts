/**
 * Shapes: what a member of a request body may be.
 *
 * A body is read in two passes, as the peers do it. Reading checks JSON types only (a wrong one means the body could
 * not be parsed); checking then looks at values, member by member in alphabetical order, and reports the first that is
 * wrong. Null counts as absent everywhere.
 */
import { fieldError } from '../operation/api-error.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface Shape<T> {
  /** Checks the JSON type; throws when the body cannot be parsed. Never given null or undefined. */
  read(json: unknown, at: string): T
  /** Checks the value; throws the first violation. A part of an object (PATCH) need not have what is required. */
  check(value: T, at: string, isPart: boolean): void
  /** How a part is laid over what was there; absent: it replaces it. */
  merge?(before: T, part: T): T
  readonly schema: JsonSchema
}

/** Thrown while reading: the HTTP layer's name for the body is added where it is known. */
export class WrongTypeError extends Error {
  constructor(at: string, wanted: string, json: unknown) {
    super(`${at === '' ? 'the body' : at} must be ${wanted}, not ${jsonType(json)}`)
    this.name = 'WrongTypeError'
  }
}

function jsonType(json: unknown): string {
  if (json === null) return 'null'
  return Array.isArray(json) ? 'an array' : typeof json === 'object' ? 'an object' : `a ${typeof json}`
}

export function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(value: string): boolean {
  return UUID.test(value)
}

const formats = {
  uuid: isUuid,
  uri: (value: string) => URL.canParse(value),
} as const

export interface TextLimits<V extends string = string> {
  readonly min?: number
  /** Characters; every text has a bound. */
  readonly max?: number
  readonly oneOf?: readonly V[]
  readonly format?: keyof typeof formats
}

/** No text member without a bound of its own may be longer. */
const LONGEST_TEXT = 65_536

export function textShape<V extends string = string>(limits: TextLimits<V> = {}): Shape<V> {
  const { min, max, oneOf, format } = limits
  return {
    read(json, at) {
      if (typeof json !== 'string') throw new WrongTypeError(at, 'a string', json)
      return json as V
    },
    check(value, at) {
      if (oneOf !== undefined && !oneOf.includes(value)) {
        throw fieldError(at, `${at} in body should be one of [${oneOf.join(' ')}]`, value)
      }
      const length = [...value.slice(0, LONGEST_TEXT + 1)].length
      const most = max ?? LONGEST_TEXT
      if (length > most) throw fieldError(at, `${at} in body should be at most ${most} chars long`, value)
      if (min !== undefined && length < min) {
        throw fieldError(at, `${at} in body should be at least ${min} chars long`, value)
      }
      if (format !== undefined && !formats[format](value)) {
        throw fieldError(at, `${at} in body must be of type ${format}: ${JSON.stringify(value)}`, value)
      }
    },
    schema: {
      type: 'string',
      ...(min === undefined ? {} : { minLength: min }),
      ...(max === undefined ? {} : { maxLength: max }),
      ...(oneOf === undefined ? {} : { enum: oneOf }),
      ...(format === undefined ? {} : { format }),
    },
  }
}

/** A text whose value never appears in a refusal: passwords. */
export function secretShape(limits: { readonly min: number; readonly max: number }): Shape<string> {
  const shape = textShape(limits)
  return {
    ...shape,
    check(value, at, isPart) {
      shape.check('*'.repeat(Math.min([...value].length, limits.max + 1)), at, isPart)
    },
  }
}

export interface NumberLimits {
  readonly min?: number
  readonly max?: number
}

export function integerShape({ min, max }: NumberLimits = {}): Shape<number> {
  return {
    read(json, at) {
      if (typeof json !== 'number') throw new WrongTypeError(at, 'an integer', json)
      if (!Number.isSafeInteger(json)) throw new WrongTypeError(at, 'an integer', json)
      return json
    },
    check(value, at) {
      if (max !== undefined && value > max) {
        throw fieldError(at, `${at} in body should be less than or equal to ${max}`, value)
      }
      if (min !== undefined && value < min) {
        throw fieldError(at, `${at} in body should be greater than or equal to ${min}`, value)
      }
    },
    schema: {
      type: 'integer',
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
    },
  }
}

export const flagShape: Shape<boolean> = {
  read(json, at) {
    if (typeof json !== 'boolean') throw new WrongTypeError(at, 'a boolean', json)
    return json
  },
  check() {},
  schema: { type: 'boolean' },
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d:\d\d(?:\.\d+)?)([Zz]|[+-]\d\d:\d\d))?$/

/** A time, as RFC 3339 text or a bare date; held in the API's own text form. */
export const timeShape: Shape<string> = {
  read(json, at) {
    if (typeof json !== 'string') throw new WrongTypeError(at, 'a date-time', json)
    const milliseconds = TIME.test(json) ? Date.parse(json) : Number.NaN
    if (Number.isNaN(milliseconds)) throw new WrongTypeError(at, 'a date-time', json)
    return new Date(milliseconds).toISOString()
  },
  check() {},
  schema: { type: 'string', format: 'date-time' },
}

export interface ListLimits {
  readonly min?: number
  readonly max?: number
}

const LONGEST_LIST = 10_000

export function listShape<T>(element: Shape<T>, { min, max = LONGEST_LIST }: ListLimits = {}): Shape<readonly T[]> {
  return {
    read(json, at) {
      if (!Array.isArray(json)) throw new WrongTypeError(at, 'an array', json)
      if (json.length > max) throw fieldError(at, `${at} in body should have at most ${max} items`, json.length)
      return json.map((item, index) => {
        const place = dotted(at, String(index))
        if (item === null) throw new WrongTypeError(place, 'a value', null)
        return element.read(item, place)
      })
    },
    check(value, at) {
      if (min !== undefined && value.length < min) {
        throw fieldError(at, `${at} in body should have at least ${min} items`, value.length)
      }
      for (const [index, item] of value.entries()) element.check(item, dotted(at, String(index)), false)
    },
    schema: { type: 'array', items: element.schema, ...(min === undefined ? {} : { minItems: min }) },
  }
}

export function mapShape<T>(element: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    read(json, at) {
      if (!isObject(json)) throw new WrongTypeError(at, 'an object', json)
      const entries = Object.entries(json).filter(([, value]) => value !== null)
      return Object.fromEntries(entries.map(([key, value]) => [key, element.read(value, `${at}.${key}`)]))
    },
    check(value, at) {
      for (const key of Object.keys(value).sort()) element.check(value[key]!, `${at}.${key}`, false)
    },
    schema: { type: 'object', additionalProperties: element.schema },
  }
}

/** Any JSON object, kept as it is. */
export const jsonShape: Shape<Readonly<Record<string, unknown>>> = {
  read(json, at) {
    if (!isObject(json)) throw new WrongTypeError(at, 'an object', json)
    return json
  },
  check() {},
  schema: { type: 'object' },
}

/** Any JSON value, kept as it is. */
export const anythingShape: Shape<unknown> = {
  read: (json) => json,
  check() {},
  schema: {},
}

/** A member of an object shape. */
export interface Member<T> {
  readonly shape: Shape<T>
  readonly isRequired?: boolean
  readonly default: T
}

/** A member that every body must name. */
export function required<T>(shape: Shape<T>): Member<T> {
  return { shape, isRequired: true, default: undefined as T }
}

/** A member that may be left out; it then has the default, or is undefined. */
export function optional<T>(shape: Shape<T>): Member<T | undefined>
export function optional<T>(shape: Shape<T>, otherwise: T): Member<T>
export function optional<T>(shape: Shape<T>, otherwise?: T): Member<T | undefined> {
  return { shape: shape as Shape<T | undefined>, default: otherwise }
}

export type MembersOf<M> = { readonly [K in keyof M]: M[K] extends Member<infer T> ? T : never }

/** An object whose members are known; unknown ones are ignored. */
export function objectShape<M extends Readonly<Record<string, Member<unknown>>>>(members: M): Shape<MembersOf<M>> {
  const table: Readonly<Record<string, Member<unknown>>> = members
  const names = Object.keys(table).sort()
  return {
    read(json, at) {
      if (!isObject(json)) throw new WrongTypeError(at, 'an object', json)
      const read: Record<string, unknown> = {}
      for (const name of names) {
        const value = memberOf(json, name)
        if (value !== undefined && value !== null) read[name] = table[name]!.shape.read(value, dotted(at, name))
      }
      return read as MembersOf<M>
    },
    check(value, at, isPart) {
      const given = value as Record<string, unknown>
      for (const name of names) {
        const path = dotted(at, name)
        if (given[name] !== undefined) table[name]!.shape.check(given[name], path, isPart)
        else if (table[name]!.isRequired && !isPart) throw fieldError(path, `${path} in body is required`, '<nil>')
        else if (!isPart) given[name] = table[name]!.default
      }
    },
    merge(before, part) {
      const merged: Record<string, unknown> = { ...(before as Record<string, unknown>) }
      for (const [name, value] of Object.entries(part as Record<string, unknown>)) {
        const { shape } = table[name]!
        const old = merged[name]
        merged[name] = shape.merge !== undefined && isObject(old) ? shape.merge(old, value) : value
      }
      return merged as MembersOf<M>
    },
    schema: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, table[name]!.shape.schema])),
      required: names.filter((name) => table[name]!.isRequired),
    },
  }
}

/** A member by its name; another spelling of upper and lower case is taken too, as the peers' decoder does. */
export function memberOf(json: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(json, name)) return json[name]
  const wanted = name.toLowerCase()
  for (const key of Object.keys(json)) if (key.length === name.length && key.toLowerCase() === wanted) return json[key]
  return undefined
}

function dotted(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}
