/** Protobuf's JSON form of decoded messages: zero values absent, 64-bit numbers as texts, bytes in base64. */
import type { AnyMessage, ElementType, FieldType } from '../protobuf/message-type.ts'
import type { Scalar } from '../protobuf/scalars.ts'

type Json = Record<string, unknown>

export function toJson(type: AnyMessage, message: unknown): Json {
  const json: Json = {}
  for (const [name, field] of Object.entries(type.fields)) {
    const value = (message as Json)[name]
    if (!('form' in field)) {
      const member = fieldToJson(field[1], value)
      if (member !== undefined) json[name] = member
    } else if (value !== undefined) {
      const { kind, value: chosen } = value as { kind: string; value: unknown }
      json[kind] = elementToJson(field.choices[kind]![1], chosen)
    }
  }
  return json
}

function fieldToJson(type: FieldType, value: unknown): unknown {
  if (type.form === 'repeated') {
    const list = (value as unknown[]).map((element) => elementToJson(type.element, element))
    return list.length === 0 ? undefined : list
  }
  if (type.form === 'map') {
    const entries = [...(value as Map<unknown, unknown>)].map(([key, each]) => [key, elementToJson(type.value, each)])
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
  const isAbsent = type.form === 'scalar' ? type.isZero(value) : value === undefined
  return isAbsent ? undefined : elementToJson(type, value)
}

function elementToJson(type: ElementType, value: unknown): unknown {
  if (type.form === 'message') return toJson(type, value)
  if (Buffer.isBuffer(value)) return value.toString('base64')
  if (type.name === 'Timestamp') return formatTime(value as bigint)
  return type.name === 'int64' || type.name === 'uint64' ? String(value) : value
}

/** RFC 3339 with as many groups of three digits as are needed. */
function formatTime(nanoseconds: bigint): string {
  const fraction = ((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  const whole = new Date(Number((nanoseconds - fraction) / 1_000_000n)).toISOString().slice(0, 19)
  const digits = fraction
    .toString()
    .padStart(9, '0')
    .replace(/(000){1,3}$/, '')
  return digits === '' ? `${whole}Z` : `${whole}.${digits}Z`
}

/** The message that this JSON stands for. Field names may begin with a capital. */
export function fromJson(type: AnyMessage, json: unknown): Json {
  const message: Json = {}
  const members = new Map(Object.entries(json as Json).map(([name, value]) => [lowerFirst(name), value]))
  for (const [name, field] of Object.entries(type.fields)) {
    if (!('form' in field)) {
      if (members.has(name)) message[name] = fieldFromJson(field[1], take(members, name))
      continue
    }
    const kind = Object.keys(field.choices).find((each) => members.has(each))
    if (kind === undefined) continue
    message[name] = { kind, value: elementFromJson(field.choices[kind]![1], take(members, kind)) }
  }
  if (members.size > 0) throw new Error(`${type.name} has no ${[...members.keys()].join(', ')}`)
  return message
}

function fieldFromJson(type: FieldType, value: unknown): unknown {
  if (type.form === 'repeated') return (value as unknown[]).map((each) => elementFromJson(type.element, each))
  if (type.form !== 'map') return elementFromJson(type, value)
  return new Map(
    Object.entries(value as Json).map(([key, each]) => [
      typeof type.key.zero === 'number' ? Number(key) : key,
      elementFromJson(type.value, each),
    ]),
  )
}

function elementFromJson(type: ElementType, value: unknown): unknown {
  return type.form === 'message' ? fromJson(type, value) : scalarFromJson(type, value)
}

function scalarFromJson(type: Scalar<unknown>, value: unknown): unknown {
  if (Buffer.isBuffer(type.zero)) return Buffer.from(value as string, 'base64')
  if (typeof type.zero === 'bigint') return BigInt(value as string)
  if (typeof type.zero === 'number') return Number(value)
  if (type.name === 'Timestamp') return parseTime(value as string)
  return value
}

function parseTime(text: string): bigint {
  const [, whole, fraction = ''] = /^([^.Z]+)(?:\.(\d+))?Z$/.exec(text)!
  return BigInt(Date.parse(`${whole}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}

/** The JSON with the field names of our tables, which never begin with a capital. */
export function withOurNames(type: AnyMessage, json: unknown): Json {
  return toJson(type, type.decode(type.encode(fromJson(type, json))))
}

function take(members: Map<string, unknown>, name: string): unknown {
  const value = members.get(name)
  members.delete(name)
  return value
}

function lowerFirst(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1)
}

/** Whether the order of its map entries leaves a message's bytes open. */
export function hasOpenOrder(type: AnyMessage, message: unknown): boolean {
  return Object.entries(type.fields).some(([name, field]) => {
    const value = (message as Json)[name]
    if (value === undefined) return false
    if ('form' in field) {
      const { kind, value: chosen } = value as { kind: string; value: unknown }
      return elementIsOpen(field.choices[kind]![1], chosen)
    }
    const [, fieldType] = field
    if (fieldType.form === 'repeated')
      return (value as unknown[]).some((each) => elementIsOpen(fieldType.element, each))
    if (fieldType.form !== 'map') return elementIsOpen(fieldType, value)
    const entries = value as Map<unknown, unknown>
    return entries.size > 1 || [...entries.values()].some((each) => elementIsOpen(fieldType.value, each))
  })
}

function elementIsOpen(type: ElementType, value: unknown): boolean {
  return type.form === 'message' && hasOpenOrder(type, value)
}
