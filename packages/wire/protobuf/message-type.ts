/**
 * Protobuf messages as tables. A table is the message: from it come the types of what is read and written, the decoder
 * and the encoder.
 *
 *   const fault = defineMessage('Fault', { subject: [1, faultSubject], id: [2, text], iteration: [3, uint32] })
 *   type Fault = MessageOf<typeof fault>
 *
 * Proto3 rules: absent scalars read as zero and zeros are not written, unknown fields are skipped, a singular message
 * that comes twice is merged. Fields are written by number and map entries by key, so equal messages have equal bytes.
 */
import { compileFields, type FieldCodec } from './field-codecs.ts'
import { ProtoReader } from './proto-reader.ts'
import { ProtoWriter } from './proto-writer.ts'
import { ProtobufError } from './protobuf-error.ts'
import type { Scalar } from './scalars.ts'

/** What may stand in a list or be the value of a map. */
export type ElementType = Scalar<unknown> | AnyMessage

/** A list. */
export interface Repeated<E extends ElementType = ElementType> {
  readonly form: 'repeated'
  readonly element: E
}

/** A map; keys are texts or numbers. */
export interface MapOf<K extends Scalar<unknown> = Scalar<unknown>, V extends ElementType = ElementType> {
  readonly form: 'map'
  readonly key: K
  readonly value: V
  /** Entries whose key begins so are passed over. */
  readonly without?: string
}

/** At most one of several fields. */
export interface OneOf<C extends Choices = Choices> {
  readonly form: 'oneof'
  readonly choices: C
}

export type Choices = Readonly<Record<string, readonly [number, ElementType]>>
export type FieldType = ElementType | Repeated | MapOf
export type Fields = Readonly<Record<string, readonly [number, FieldType] | OneOf>>

/** A message whose fields are not known to the type checker. */
export interface AnyMessage {
  readonly form: 'message'
  readonly name: string
  readonly fields: Fields
  decode(bytes: Buffer): unknown
  encode(value: Readonly<Record<string, unknown>>): Buffer
  /** An object with every field as if absent. */
  blank(): Record<string, unknown>
  /** Reads fields up to the reader's end into an object. */
  readInto(reader: ProtoReader, target: Record<string, unknown>): void
  write(writer: ProtoWriter, value: Readonly<Record<string, unknown>>): void
}

type ElementValue<T> =
  T extends Scalar<infer V> ? V : T extends { readonly fields: infer F } ? MessageOfFields<F> : never

type FieldValue<T> = T extends readonly [number, infer Type]
  ? Type extends Repeated<infer E>
    ? readonly ElementValue<E>[]
    : Type extends MapOf<infer K, infer V>
      ? ReadonlyMap<ElementValue<K>, ElementValue<V>>
      : Type extends AnyMessage
        ? ElementValue<Type> | undefined
        : ElementValue<Type>
  : T extends OneOf<infer C>
    ? { [K in keyof C]: { readonly kind: K; readonly value: ElementValue<C[K][1]> } }[keyof C] | undefined
    : never

type MessageOfFields<F> = { readonly [K in keyof F]: FieldValue<F[K]> }

type ElementInit<T> = T extends Scalar<infer V> ? V : T extends { readonly fields: infer F } ? InitOfFields<F> : never

type FieldInit<T> = T extends readonly [number, infer Type]
  ? Type extends Repeated<infer E>
    ? readonly ElementInit<E>[]
    : Type extends MapOf<infer K, infer V>
      ? ReadonlyMap<ElementValue<K>, ElementInit<V>>
      : ElementInit<Type>
  : T extends OneOf<infer C>
    ? { [K in keyof C]: { readonly kind: K; readonly value: ElementInit<C[K][1]> } }[keyof C]
    : never

type InitOfFields<F> = { readonly [K in keyof F]?: FieldInit<F[K]> | undefined }

/** What a decoded message is. It is read-only: absent lists and maps are shared. */
export type MessageOf<T extends AnyMessage> = MessageOfFields<T['fields']>

/** What can be encoded: absent fields are zero. A decoded message is one. */
export type InitOf<T extends AnyMessage> = InitOfFields<T['fields']>

/** A message whose fields the type checker knows. */
export interface MessageType<F extends Fields> extends AnyMessage {
  readonly fields: F
  /** Throws `ProtobufError`. The result shares no memory with the bytes. */
  decode(bytes: Buffer): MessageOfFields<F>
  /** Throws `ProtobufError` for a number that its field cannot hold. */
  encode(value: InitOfFields<F>): Buffer
}

export interface MessageOptions {
  /** How many list elements, map entries and nested messages one such message may hold in all. */
  readonly maxItems?: number
}

const defaultMaxItems = 100_000

export function repeated<E extends ElementType>(element: E): Repeated<E> {
  return { form: 'repeated', element }
}

export function map<K extends Scalar<string> | Scalar<number>, V extends ElementType>(key: K, value: V): MapOf<K, V> {
  return { form: 'map', key, value }
}

/** As `map`, for whoever does not want the entries whose key begins with `prefix`: they are passed over unread. */
export function mapWithout<K extends Scalar<string>, V extends ElementType>(
  prefix: string,
  key: K,
  value: V,
): MapOf<K, V> {
  return { form: 'map', key, value, without: prefix }
}

export function oneof<const C extends Choices>(choices: C): OneOf<C> {
  return { form: 'oneof', choices }
}

/** A message from its table. A number that is used twice fails at once. */
export function defineMessage<const F extends Fields>(
  name: string,
  fields: F,
  options?: MessageOptions,
): MessageType<F> {
  return new TableMessage(name, fields, options?.maxItems ?? defaultMaxItems)
}

class TableMessage<F extends Fields> implements MessageType<F> {
  readonly form = 'message'
  readonly name: string
  readonly fields: F
  readonly #maxItems: number
  readonly #byNumber: readonly (FieldCodec | undefined)[]
  readonly #ordered: readonly FieldCodec[]
  readonly #blank: Readonly<Record<string, unknown>>

  constructor(name: string, fields: F, maxItems: number) {
    this.name = name
    this.fields = fields
    this.#maxItems = maxItems
    const { ordered, blank } = compileFields(name, fields)
    this.#ordered = ordered
    this.#blank = blank
    const byNumber = new Array<FieldCodec | undefined>((ordered.at(-1)?.number ?? 0) + 1).fill(undefined)
    for (const codec of ordered) byNumber[codec.number] = codec
    this.#byNumber = byNumber
  }

  decode(bytes: Buffer): MessageOfFields<F> {
    const reader = new ProtoReader(bytes, this.#maxItems)
    const target = this.blank()
    try {
      this.readInto(reader, target)
    } catch (error) {
      if (!(error instanceof ProtobufError)) throw error
      throw new ProtobufError(error.code, `${this.name}, byte ${reader.position}`)
    }
    return target as MessageOfFields<F>
  }

  encode(value: InitOfFields<F>): Buffer {
    const writer = new ProtoWriter()
    this.write(writer, value)
    return writer.finish()
  }

  blank(): Record<string, unknown> {
    return { ...this.#blank }
  }

  readInto(reader: ProtoReader, target: Record<string, unknown>): void {
    while (reader.position < reader.end) {
      const tag = reader.tag()
      const codec = this.#byNumber[tag >>> 3]
      // A field in another encoding than ours is one that we do not know.
      if (codec === undefined || !codec.read(reader, tag & 7, target)) reader.skip(tag & 7)
    }
  }

  write(writer: ProtoWriter, value: Readonly<Record<string, unknown>>): void {
    for (const codec of this.#ordered) codec.write(writer, value)
  }
}
