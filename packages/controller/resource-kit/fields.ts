/**
 * Fields: everything that is known about one member of a resource, said once.
 *
 * A field is a shape (what a body may hold) with the facts around it: who may set it, whether it is shown, secret, unique
 * or filterable, what it refers to. Input contracts, tables, indexes, filter symbols, answers, the journal's masking and
 * the served OpenAPI are all derived from it.
 */
import { fieldError } from '../operation/api-error.ts'
import type { SymbolType } from '../query/symbol.ts'
import type { Row, Tags, TagValue } from '../state/row.ts'
import {
  anythingShape,
  flagShape,
  integerShape,
  isObject,
  jsonShape,
  type ListLimits,
  listShape,
  type Member,
  type MembersOf,
  mapShape,
  type NumberLimits,
  objectShape,
  type Shape,
  secretShape,
  type TextLimits,
  textShape,
  timeShape,
  WrongTypeError,
} from './shapes.ts'

/** What happens to a row when the row it refers to is deleted. */
export type OnTargetDeleted = 'refuse' | 'unlink' | 'cascade'

/** The facts around a shape. All are optional; the defaults are the strict ones. */
export interface FieldFacts<T> {
  /** Held when the body does not say, and restored by a PUT that leaves it out. */
  readonly default?: T
  /** Which bodies must name it; PATCH never must, unless it selects the variant (`always`). */
  readonly required?: 'on create' | 'on create and put' | 'on put' | 'always' | 'never'
  /**
   * `caller`: any write; `creator`: create only, later writes are ignored; `create and put`: a PATCH cannot name it;
   * `server`: no body can touch it.
   */
  readonly setBy?: 'caller' | 'creator' | 'create and put' | 'server'
  /** Said by a body and seen by rules and what follows, but not kept. */
  readonly isTransient?: boolean
  /** Its name in request bodies, when that is not the field's own. */
  readonly input?: string
  /** `never`: stored only. `when set`: absent while null, false, zero or empty. */
  readonly shown?: 'always' | 'when set' | 'never'
  /** An empty list is answered as null. */
  readonly isNullWhenEmpty?: boolean
  /** Hashes, seeds, tokens: kept out of the journal, events, filters and logs. */
  readonly isSecret?: boolean
  /** Filter symbol: true for the field's own name. Absent: it cannot be filtered by. */
  readonly symbol?: true | string | undefined
  /** No two rows of the table may hold the same value; null and empty never clash. */
  readonly unique?: {
    readonly reason: (value: string, table: string, row: Row, holder: Row) => string
    /** What refusals call the field, when that is not its name. */
    readonly field?: string
  }
  /** Makes values comparable before they are stored: sorted, lower-cased, trimmed. */
  normalise?(value: T): T
  /** The value as it follows from the row's others, whatever was written: kept, so that it can be indexed. */
  derive?(row: Readonly<Record<string, unknown>>): T
  /** What must hold of a value however it was written; throws the refusal. Shapes only guard request bodies. */
  holds?(value: T, at: string): void
  /** Only rows whose discriminator has one of these values have this field. */
  readonly onlyFor?: readonly string[]
  /** Replaces the type of the filter symbol, where the peers declare another. */
  readonly symbolType?: SymbolType
}

export interface Field<T = unknown> extends FieldFacts<T> {
  readonly shape: Shape<T>
  readonly default: T
  readonly symbolType: SymbolType
  readonly isSet: boolean
  /** Where ids in this field point. */
  readonly refersTo?: {
    readonly table: string
    readonly onTargetDeleted: OnTargetDeleted
    /** The member under which an entity reference is answered beside the id. */
    readonly shownAs?: string
    /** The collection whose links the reference carries, when the table serves several. */
    readonly collection?: string
    /** The refusal of an id that leads nowhere, when it is not that the target was not found. */
    readonly missing?: (id: string) => Error
  }
  /** For role lists of policies: the table whose rows the roles select. */
  readonly selects?: string
  /** Which rows of that table roles can name; all of them, if absent. */
  readonly isSelectable?: (row: Row) => boolean
  /** For role attributes: indexed under each attribute. */
  readonly isRoleAttributes?: boolean
  /** The field that the table keeps, when this is another resource's way to set and show it. */
  readonly restricts?: Field<T>
}

/** The fields of a resource when it does not matter which. */
export type AnyFields = Readonly<Record<string, Field>>

/** The row type that a field list describes. */
export type RowOf<F> = Row & { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never }

/**
 * A field of a shared table as a second resource has it: same storage and same checks, but other callers may set it, or it
 * is shown otherwise.
 */
export function restricted<T>(
  field: Field<T>,
  facts: Pick<FieldFacts<T>, 'setBy' | 'shown' | 'symbol' | 'input' | 'required' | 'isNullWhenEmpty'> & {
    readonly collection?: string
  },
): Field<T> {
  const { collection, ...others } = facts
  const refersTo = collection === undefined ? {} : { refersTo: { ...field.refersTo!, collection } }
  return { ...field, ...others, ...refersTo, restricts: field }
}

/** Keeps the exact types of a field list, so that `RowOf` can read them. */
export function defineFields<F extends Readonly<Record<string, unknown>>>(fields: F): F {
  return fields
}

function field<T>(shape: Shape<T>, zero: T, symbolType: SymbolType, facts: FieldFacts<T>, isSet = false): Field<T> {
  return { ...facts, shape, default: facts.default ?? zero, symbolType: facts.symbolType ?? symbolType, isSet }
}

export function text(options: TextLimits & FieldFacts<string> = {}): Field<string> {
  return field(textShape(options), '', 'string', options)
}

/** A password: never stored as such, and no refusal repeats it. */
export function password(options: Pick<FieldFacts<string>, 'required'> = {}): Field<string> {
  const facts = { ...options, isSecret: true, shown: 'never' } as const
  return field(secretShape({ min: 5, max: 100 }), '', 'string', facts)
}

/** A text that may be absent: null when it was never given. */
export function optionalText(options: TextLimits & FieldFacts<string | null> = {}): Field<string | null> {
  return field<string | null>(textShape(options) as Shape<string | null>, null, 'string', options)
}

export function oneOf<V extends string>(values: readonly V[], options: FieldFacts<V> & { default?: V }): Field<V> {
  return field(textShape<V>({ oneOf: values }), values[0]!, 'string', options)
}

export function integer(options: NumberLimits & FieldFacts<number> = {}): Field<number> {
  return field(integerShape(options), 0, 'int64', options)
}

export function flag(options: FieldFacts<boolean> = {}): Field<boolean> {
  return field(flagShape, false, 'bool', options)
}

export function time(options: FieldFacts<string | null> = {}): Field<string | null> {
  return field<string | null>(timeShape as Shape<string | null>, null, 'datetime', options)
}

export function listOf<T>(element: Shape<T>, options: ListLimits & FieldFacts<readonly T[]> = {}): Field<readonly T[]> {
  return field(listShape(element, options), [], 'string', options, true)
}

export function mapOf<T>(element: Shape<T>, options: FieldFacts<Readonly<Record<string, T>>> = {}) {
  return field(mapShape(element), {}, 'other', options)
}

/** A map whose keys are ids of another table; an entry goes when its target does. */
export function mapByReference<T>(
  table: string,
  element: Shape<T>,
  options: FieldFacts<Readonly<Record<string, T>>> = {},
): Field<Readonly<Record<string, T>>> {
  return { ...mapOf(element, options), refersTo: { table, onTargetDeleted: 'unlink' } }
}

/** A nested object with known members; PATCH may name any of them alone. */
export function object<M extends Readonly<Record<string, Member<unknown>>>>(
  members: M,
  options: FieldFacts<MembersOf<M>> & { readonly default: MembersOf<M> },
): Field<MembersOf<M>> {
  return field(objectShape(members), options.default, 'other', options)
}

/** A nested object that may be absent as a whole. */
export function optionalObject<M extends Readonly<Record<string, Member<unknown>>>>(
  members: M,
  options: FieldFacts<MembersOf<M> | null> = {},
): Field<MembersOf<M> | null> {
  return field<MembersOf<M> | null>(objectShape(members) as Shape<MembersOf<M> | null>, null, 'other', options)
}

/** A free JSON object, kept as given and replaced whole. */
export function json(options: FieldFacts<Readonly<Record<string, unknown>>> = {}) {
  return field(jsonShape, {}, 'other', options)
}

export function optionalJson(options: FieldFacts<Readonly<Record<string, unknown>> | null> = {}) {
  return field<Readonly<Record<string, unknown>> | null>(
    jsonShape as Shape<Readonly<Record<string, unknown>> | null>,
    null,
    'other',
    options,
  )
}

/** A value only the controller writes. */
export function serverSet<T>(initial: T, options: FieldFacts<T> = {}): Field<T> {
  const symbolType: SymbolType =
    typeof initial === 'boolean' ? 'bool' : typeof initial === 'number' ? 'int64' : 'string'
  return field(anythingShape as Shape<T>, initial, symbolType, { ...options, setBy: 'server' })
}

/** A name no other row of the table has. The two wordings are those of the peers. */
export function uniqueName(options: { readonly wording?: 'name' | 'index' } & FieldFacts<string> = {}): Field<string> {
  const reason =
    options.wording === 'index'
      ? (value: string, table: string) => `duplicate value '${value}' in unique index on ${table} store`
      : () => 'name must be unique'
  const facts = { required: 'on create and put', symbol: true, unique: { reason }, holds: isNotEmpty } as const
  return field(textShape({ max: LONGEST_NAME }), '', 'string', { ...facts, ...options })
}

const LONGEST_NAME = 4_096

/** For texts that must say something. */
export function isNotEmpty(value: string, at: string): void {
  if (value === '') throw fieldError(at, `${at} is required`, value)
}

type ReferenceOptions = Omit<NonNullable<Field['refersTo']>, 'table'>

function referenceTo(table: string, { onTargetDeleted, shownAs, collection, missing }: ReferenceOptions) {
  return {
    table,
    onTargetDeleted,
    ...(shownAs && { shownAs }),
    ...(collection && { collection }),
    ...(missing && { missing }),
  }
}

/** A reference to one row of another table. */
export function reference(table: string, options: FieldFacts<string> & ReferenceOptions): Field<string> {
  const { onTargetDeleted, shownAs, collection, missing, ...facts } = options
  return { ...field(textShape(), '', 'string', facts), refersTo: referenceTo(table, options) }
}

/** A reference that may be absent. */
export function optionalReference(
  table: string,
  options: FieldFacts<string | null> & ReferenceOptions,
): Field<string | null> {
  const { onTargetDeleted, shownAs, collection, missing, ...facts } = options
  const shape = textShape() as Shape<string | null>
  return { ...field<string | null>(shape, null, 'string', facts), refersTo: referenceTo(table, options) }
}

/** A list of references to rows of another table. */
export function references(
  table: string,
  options: FieldFacts<readonly string[]> & { readonly onTargetDeleted: OnTargetDeleted },
): Field<readonly string[]> {
  const { onTargetDeleted, ...facts } = options
  return { ...field(listShape(textShape()), [], 'string', facts, true), refersTo: { table, onTargetDeleted } }
}

/** The attributes by which policies select a row: distinct, sorted, never beginning with a role prefix. */
export function roleAttributes(options: FieldFacts<readonly string[]> = {}): Field<readonly string[]> {
  return { ...attributes({ symbol: true, ...options }), isRoleAttributes: true }
}

/** Attributes that are only kept: a CA holds those it will give to identities. */
export function attributes(options: FieldFacts<readonly string[]> = {}): Field<readonly string[]> {
  const facts = { normalise: distinctSorted, holds: areAttributes, ...options }
  return field(listShape(textShape({ max: 4_096 })), [], 'string', facts, true)
}

function areAttributes(values: readonly string[], at: string): void {
  for (const attribute of values) {
    if (attribute === '') throw fieldError(at, 'role attributes may not be empty', attribute)
    for (const prefix of ['#', '@']) {
      if (attribute.startsWith(prefix)) {
        throw fieldError(at, `role attributes may not be prefixed with ${prefix}`, attribute)
      }
    }
  }
}

/** The roles by which a policy selects rows of a table: `#attribute`, `@id`, or `#all` alone. */
export function roles(
  table: string,
  options: FieldFacts<readonly string[]> & Pick<Field, 'isSelectable'> = {},
): Field<readonly string[]> {
  const facts = { symbol: true as const, isNullWhenEmpty: true, normalise: distinctSorted, holds: areRoles, ...options }
  return { ...field(listShape(textShape({ max: 4_096 })), [], 'string', facts, true), selects: table }
}

const ROLE_PREFIXES = '# (to indicate role attributes) or @ (to indicate a name or id)'

function areRoles(values: readonly string[], at: string): void {
  for (const role of values) {
    if (!role.startsWith('#') && !role.startsWith('@')) {
      throw fieldError(at, `role entries must prefixed with ${ROLE_PREFIXES}`, role)
    }
  }
  if (values.includes('#all') && values.length > 1) {
    throw fieldError(at, 'if using #all, it should be the only role specified', values.join(' '))
  }
}

function distinctSorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort()
}

/** Tags are flat: text, number, boolean or null under a text key. */
export const tagsShape: Shape<Tags> = {
  read(value, at) {
    if (!isObject(value)) throw new WrongTypeError(at, 'an object', value)
    return value as Tags
  },
  check() {},
  schema: { type: 'object', additionalProperties: true },
}

function areFlat(value: Tags, at: string): void {
  for (const [key, tag] of Object.entries(value) as [string, TagValue | object][]) {
    if (typeof tag === 'object' && tag !== null) {
      throw fieldError(`${at}.${key}`, 'only text, numbers, booleans and null are allowed here', tag)
    }
  }
}

/** What every resource has besides its own fields. */
export const tagsField: Field<Tags> = field(tagsShape, {}, 'any', { holds: areFlat })

/** Like tags, but a field of its own. */
export function flatTags(options: FieldFacts<Tags> = {}): Field<Tags> {
  return field(tagsShape, {}, 'other', { holds: areFlat, ...options })
}
