/**
 * From fields to what a create, PUT or PATCH body may say.
 *
 * What is not settable by the verb at hand is not read at all, so a body can name server-owned members as it likes. PUT
 * gives every settable field, its default where the body is silent; PATCH gives only what the body names and is not null.
 */
import { fieldError, refusal, unparsableBody } from '../operation/api-error.ts'
import type { BodyContract } from '../operation/operation.ts'
import { type AnyFields, type Field, tagsField } from './fields.ts'
import { isObject, type JsonSchema, memberOf, WrongTypeError } from './shapes.ts'

export type WriteVerb = 'create' | 'update' | 'patch'

/** What a body said, by field name. Parts of nested objects are marked by `parts`, to be merged with what was. */
export type Decoded = Readonly<Record<string, unknown>>

interface Settable {
  readonly name: string
  /** The member of the body. */
  readonly input: string
  readonly field: Field
  readonly isRequired: boolean
}

export interface FieldContract extends BodyContract {
  decode(json: unknown): Decoded
  readonly schema: JsonSchema
}

/** The body of a create, PUT or PATCH: the fields that the verb can set, and tags. */
export function bodyContract(bodyName: string, fields: AnyFields, verb: WriteVerb): FieldContract {
  return contract(bodyName, { ...fields, tags: tagsField as Field }, verb)
}

/** The body of a request that describes no entity: what is declared and nothing else. */
export function requestContract(bodyName: string, fields: AnyFields): FieldContract {
  return contract(bodyName, fields, 'create')
}

function contract(bodyName: string, fields: AnyFields, verb: WriteVerb): FieldContract {
  const settable = settableFields(fields, verb)
  const hasVariants = settable.some(({ field }) => field.onlyFor !== undefined)
  const discriminator = hasVariants ? settable.find(({ field }) => field.required === 'always') : undefined
  return {
    name: bodyName,
    isRequired: true,
    decode(json) {
      if (!isObject(json)) throw unparsableBody(bodyName, new WrongTypeError('', 'an object', json).message)
      const variant = discriminator === undefined ? '' : variantOf(discriminator, json)
      const present = settable.filter(({ field }) => field.onlyFor === undefined || field.onlyFor.includes(variant))
      const decoded: Record<string, unknown> = {}
      try {
        for (const { name, input, field } of present) {
          const value = verb === 'patch' ? json[input] : memberOf(json, input)
          if (value === undefined || value === null) continue
          if (verb === 'patch' && isAllNull(value)) continue
          decoded[name] = field.shape.read(value, input)
        }
      } catch (error) {
        if (error instanceof WrongTypeError) throw unparsableBody(bodyName, error.message)
        throw error
      }
      for (const { name, input, field, isRequired } of present) {
        if (decoded[name] !== undefined) field.shape.check(decoded[name], input, verb === 'patch')
        else if (isRequired) throw fieldError(input, `${input} in body is required`, '<nil>')
      }
      if (verb === 'update') {
        for (const { name, field } of present) if (decoded[name] === undefined) decoded[name] = field.default
      }
      return decoded
    },
    schema: {
      type: 'object',
      properties: Object.fromEntries(settable.map(({ input, field }) => [input, memberSchema(field)])),
      required: settable.filter(({ isRequired }) => isRequired).map(({ input }) => input),
    },
  }
}

/** A member that only some variants have says which. */
function memberSchema({ shape, onlyFor }: Field): JsonSchema {
  return onlyFor === undefined ? shape.schema : { ...shape.schema, 'x-only-for': onlyFor }
}

/** Which variant a body describes: told before anything else, because it decides what else the body may hold. */
function variantOf({ input, field }: Settable, json: Record<string, unknown>): string {
  const value = memberOf(json, input)
  if (value === undefined || value === null) throw fieldError(input, `${input} in body is required`)
  const variants = field.shape.schema['enum'] as readonly unknown[]
  if (variants.includes(value)) return value as string
  throw refusal('COULD_NOT_PARSE_BODY', `invalid ${input} value: ${JSON.stringify(value).slice(0, 64)}`)
}

/** Lays a PATCH over a row's values: nested objects member by member, everything else whole. */
export function merged(fields: AnyFields, before: Readonly<Record<string, unknown>>, part: Decoded): Decoded {
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(part)) {
    const { shape } = fields[name] ?? tagsField
    const old = before[name]
    values[name] = shape.merge !== undefined && isObject(old) ? shape.merge(old as never, value as never) : value
  }
  return values
}

function settableFields(fields: AnyFields, verb: WriteVerb): readonly Settable[] {
  return Object.entries(fields)
    .filter(([, field]) => isSettable(field, verb))
    .map(([name, field]) => ({ name, input: field.input ?? name, field, isRequired: isRequired(field, verb) }))
    .sort((a, b) => (a.input < b.input ? -1 : 1))
}

function isSettable({ setBy }: Field, verb: WriteVerb): boolean {
  if (setBy === 'server') return false
  if (setBy === 'creator') return verb === 'create'
  return setBy !== 'create and put' || verb !== 'patch'
}

function isRequired(field: Field, verb: WriteVerb): boolean {
  if (field.required === 'always') return true
  if (field.required === 'on create and put') return verb !== 'patch'
  return field.required === (verb === 'create' ? 'on create' : verb === 'update' ? 'on put' : 'never-in-patch')
}

/** An object whose members are all null says nothing, an empty one says "empty". */
function isAllNull(value: unknown): boolean {
  if (!isObject(value)) return false
  const members = Object.values(value)
  return members.length > 0 && members.every((member) => member === null)
}
