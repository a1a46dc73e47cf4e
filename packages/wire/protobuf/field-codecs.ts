/** How each form of field is read into an object and written from it. */
import type { AnyMessage, ElementType, Fields, FieldType, MapOf } from './message-type.ts'
import { type ProtoReader, wireType } from './proto-reader.ts'
import type { ProtoWriter } from './proto-writer.ts'
import { ProtobufError } from './protobuf-error.ts'
import type { Scalar } from './scalars.ts'

type Target = Record<string, unknown>

/** One field of a message. */
export interface FieldCodec {
  readonly number: number
  /** False when the field does not come in this encoding; nothing has been read then. */
  read(reader: ProtoReader, type: number, target: Target): boolean
  write(writer: ProtoWriter, source: Readonly<Target>): void
}

const emptyList: readonly unknown[] = Object.freeze([])
const emptyMap: ReadonlyMap<unknown, unknown> = new Map()
const largestNumber = 1024

/** The codecs of a message's fields by ascending number, and the object that a message without fields reads as. */
export function compileFields(message: string, fields: Fields): { ordered: FieldCodec[]; blank: Readonly<Target> } {
  const ordered: FieldCodec[] = []
  const blank: Target = {}
  for (const [name, field] of Object.entries(fields)) {
    if ('form' in field) {
      blank[name] = undefined
      for (const [kind, [number, type]] of Object.entries(field.choices)) {
        ordered.push(new ChoiceCodec(number, name, kind, type))
      }
    } else {
      const [number, type] = field
      blank[name] = absentValue(type)
      ordered.push(codecOf(number, name, type))
    }
  }
  ordered.sort((a, b) => a.number - b.number)
  for (const [place, { number }] of ordered.entries()) {
    const isValid = Number.isInteger(number) && number > 0 && number <= largestNumber
    if (!isValid) throw new Error(`message ${message}: ${number} is no field number`)
    if (ordered[place + 1]?.number === number) throw new Error(`message ${message}: field ${number} is there twice`)
  }
  return { ordered, blank }
}

function absentValue(type: FieldType): unknown {
  if (type.form === 'scalar') return type.zero
  if (type.form === 'repeated') return emptyList
  if (type.form === 'map') return emptyMap
  return undefined
}

function codecOf(number: number, name: string, type: FieldType): FieldCodec {
  if (type.form === 'scalar') return new ScalarCodec(number, name, type)
  if (type.form === 'message') return new MessageCodec(number, name, type)
  if (type.form === 'map') return new MapCodec(number, name, type)
  const { element } = type
  const isPackable = element.form === 'scalar' && element.wireType !== wireType.delimited
  return isPackable ? new PackedCodec(number, name, element) : new ListCodec(number, name, element)
}

class ScalarCodec implements FieldCodec {
  readonly number: number
  readonly #name: string
  readonly #type: Scalar<unknown>
  readonly #tag: number

  constructor(number: number, name: string, type: Scalar<unknown>) {
    this.number = number
    this.#name = name
    this.#type = type
    this.#tag = (number << 3) | type.wireType
  }

  read(reader: ProtoReader, type: number, target: Target): boolean {
    if (type !== this.#type.wireType) return false
    target[this.#name] = this.#type.read(reader)
    return true
  }

  write(writer: ProtoWriter, source: Readonly<Target>): void {
    const value = source[this.#name]
    if (value === undefined || this.#type.isZero(value)) return
    writer.varint(this.#tag)
    this.#type.write(writer, value)
  }
}

class MessageCodec implements FieldCodec {
  readonly number: number
  readonly #name: string
  readonly #type: AnyMessage

  constructor(number: number, name: string, type: AnyMessage) {
    this.number = number
    this.#name = name
    this.#type = type
  }

  read(reader: ProtoReader, type: number, target: Target): boolean {
    if (type !== wireType.delimited) return false
    reader.chargeItem()
    target[this.#name] = readMessage(reader, this.#type, target[this.#name] as Target | undefined)
    return true
  }

  write(writer: ProtoWriter, source: Readonly<Target>): void {
    const value = source[this.#name]
    if (value !== undefined) writeElement(writer, this.number, this.#type, value)
  }
}

class ChoiceCodec implements FieldCodec {
  readonly number: number
  readonly #name: string
  readonly #kind: string
  readonly #type: ElementType

  constructor(number: number, name: string, kind: string, type: ElementType) {
    this.number = number
    this.#name = name
    this.#kind = kind
    this.#type = type
  }

  read(reader: ProtoReader, type: number, target: Target): boolean {
    if (type !== elementWireType(this.#type)) return false
    reader.chargeItem()
    const earlier = target[this.#name] as { kind: string; value: Target } | undefined
    const merged = earlier?.kind === this.#kind && this.#type.form === 'message' ? earlier.value : undefined
    target[this.#name] = { kind: this.#kind, value: readElement(reader, this.#type, merged) }
    return true
  }

  write(writer: ProtoWriter, source: Readonly<Target>): void {
    const choice = source[this.#name] as { kind: string; value: unknown } | undefined
    if (choice?.kind === this.#kind) writeElement(writer, this.number, this.#type, choice.value)
  }
}

class ListCodec implements FieldCodec {
  readonly number: number
  readonly #name: string
  readonly #type: ElementType

  constructor(number: number, name: string, type: ElementType) {
    this.number = number
    this.#name = name
    this.#type = type
  }

  read(reader: ProtoReader, type: number, target: Target): boolean {
    if (type !== wireType.delimited) return false
    reader.chargeItem()
    const value = readElement(reader, this.#type)
    const list = target[this.#name] as unknown[]
    if (list.length === 0) target[this.#name] = [value]
    else list.push(value)
    return true
  }

  write(writer: ProtoWriter, source: Readonly<Target>): void {
    for (const value of (source[this.#name] as readonly unknown[] | undefined) ?? emptyList) {
      writeElement(writer, this.number, this.#type, value)
    }
  }
}

/** Numbers, written without a tag each; read in either way. */
class PackedCodec implements FieldCodec {
  readonly number: number
  readonly #name: string
  readonly #type: Scalar<unknown>

  constructor(number: number, name: string, type: Scalar<unknown>) {
    this.number = number
    this.#name = name
    this.#type = type
  }

  read(reader: ProtoReader, type: number, target: Target): boolean {
    if (type !== wireType.delimited && type !== this.#type.wireType) return false
    const earlier = target[this.#name] as unknown[]
    const list = earlier.length === 0 ? [] : earlier
    if (type === wireType.delimited) {
      const outerEnd = reader.enter()
      while (reader.position < reader.end) this.#readOne(reader, list)
      reader.leave(outerEnd)
    } else {
      this.#readOne(reader, list)
    }
    target[this.#name] = list
    return true
  }

  write(writer: ProtoWriter, source: Readonly<Target>): void {
    const list = source[this.#name] as readonly unknown[] | undefined
    if (list === undefined || list.length === 0) return
    writer.varint((this.number << 3) | wireType.delimited)
    const lengthAt = writer.open()
    for (const value of list) this.#type.write(writer, value)
    writer.close(lengthAt)
  }

  #readOne(reader: ProtoReader, list: unknown[]): void {
    reader.chargeItem()
    list.push(this.#type.read(reader))
  }
}

const keyNumber = 1
const valueNumber = 2

class MapCodec implements FieldCodec {
  readonly number: number
  readonly #name: string
  readonly #key: Scalar<unknown>
  readonly #value: ElementType
  readonly #without: Buffer | undefined

  constructor(number: number, name: string, { key, value, without }: MapOf) {
    this.number = number
    this.#name = name
    this.#key = key
    this.#value = value
    this.#without = without === undefined ? undefined : Buffer.from(without)
  }

  read(reader: ProtoReader, type: number, target: Target): boolean {
    if (type !== wireType.delimited) return false
    if (this.#without !== undefined && reader.entryBegins(this.#without)) return false
    reader.chargeItem()
    const keyTag = (keyNumber << 3) | this.#key.wireType
    const valueTag = (valueNumber << 3) | elementWireType(this.#value)
    let key = this.#key.zero
    let value: unknown
    const outerEnd = reader.enter()
    while (reader.position < reader.end) {
      const tag = reader.tag()
      if (tag === keyTag) key = this.#key.read(reader)
      else if (tag === valueTag) value = readElement(reader, this.#value)
      else reader.skip(tag & 7)
    }
    reader.leave(outerEnd)
    value ??= this.#value.form === 'scalar' ? this.#value.zero : this.#value.blank()
    const entries = target[this.#name] as Map<unknown, unknown>
    if (entries.size === 0) target[this.#name] = new Map([[key, value]])
    else entries.set(key, value)
    return true
  }

  write(writer: ProtoWriter, source: Readonly<Target>): void {
    const entries = source[this.#name] as ReadonlyMap<unknown, unknown> | undefined
    if (entries === undefined || entries.size === 0) return
    for (const key of [...entries.keys()].sort(byKey)) {
      writer.varint((this.number << 3) | wireType.delimited)
      const lengthAt = writer.open()
      writeElement(writer, keyNumber, this.#key, key)
      writeElement(writer, valueNumber, this.#value, entries.get(key))
      writer.close(lengthAt)
    }
  }
}

function byKey(a: unknown, b: unknown): number {
  const [left, right] = [a as string | number, b as string | number]
  return left < right ? -1 : left > right ? 1 : 0
}

function elementWireType(type: ElementType): number {
  return type.form === 'scalar' ? type.wireType : wireType.delimited
}

function readElement(reader: ProtoReader, type: ElementType, merged?: Target): unknown {
  return type.form === 'scalar' ? type.read(reader) : readMessage(reader, type, merged)
}

function readMessage(reader: ProtoReader, type: AnyMessage, merged?: Target): Target {
  const outerEnd = reader.enter()
  const target = merged ?? type.blank()
  type.readInto(reader, target)
  reader.leave(outerEnd)
  return target
}

/** With its tag, and also when it is zero: whoever calls has decided that it is there. */
function writeElement(writer: ProtoWriter, number: number, type: ElementType, value: unknown): void {
  if (type.form === 'scalar') {
    writer.varint((number << 3) | type.wireType)
    type.write(writer, value)
    return
  }
  if (typeof value !== 'object' || value === null) throw new ProtobufError('BAD_VALUE', type.name)
  writer.varint((number << 3) | wireType.delimited)
  const lengthAt = writer.open()
  type.write(writer, value as Readonly<Target>)
  writer.close(lengthAt)
}
