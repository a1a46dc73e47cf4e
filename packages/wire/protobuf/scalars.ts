/**
 * The scalar types of protobuf's fields: what they are in memory, and how they are read and written.
 *
 * Numbers of 64 bits come twice: as `bigint` where the whole range occurs (clocks, counters of strangers), and as
 * `number` where they are small by their nature (indexes, seconds), refused when they are not.
 */

import { type ProtoReader, wireType } from './proto-reader.ts'
import type { ProtoWriter } from './proto-writer.ts'
import { ProtobufError } from './protobuf-error.ts'

/** A scalar type. `zero` is what an absent field reads as, and what is not written. */
export interface Scalar<T> {
  readonly form: 'scalar'
  readonly name: string
  readonly wireType: number
  readonly zero: T
  /** The names of an enumeration's numbers. */
  readonly names?: Readonly<Record<string, number>>
  read(reader: ProtoReader): T
  write(writer: ProtoWriter, value: T): void
  isZero(value: T): boolean
}

/** The names of an enumeration, or the number of a value that has no name here: a later peer's. */
export type EnumValue<Names extends Readonly<Record<string, number>>> = keyof Names | number

/** The names of an enumeration's scalar. */
export type NamesOf<S> = S extends Scalar<infer T> ? Extract<T, string> : never

export const bool: Scalar<boolean> = scalar('bool', wireType.varint, false, {
  read: (reader) => reader.flag(),
  write: (writer, value) => writer.varint(value ? 1 : 0),
})

export const int32: Scalar<number> = scalar('int32', wireType.varint, 0, {
  read: (reader) => reader.varint() | 0,
  write: (writer, value) => writer.signed32(checked(value, -0x8000_0000, 0x7fff_ffff)),
})

export const uint32: Scalar<number> = scalar('uint32', wireType.varint, 0, {
  read: (reader) => reader.varint(),
  write: (writer, value) => writer.varint(checked(value, 0, 0xffff_ffff)),
})

export const int64: Scalar<bigint> = scalar('int64', wireType.varint, 0n, {
  read: (reader) => reader.signed64(),
  write: (writer, value) => {
    if (BigInt.asIntN(64, value) !== value) throw new ProtobufError('BAD_VALUE')
    writer.bigint(value)
  },
})

export const uint64: Scalar<bigint> = scalar('uint64', wireType.varint, 0n, {
  read: (reader) => reader.unsigned64(),
  write: (writer, value) => {
    if (BigInt.asUintN(64, value) !== value) throw new ProtobufError('BAD_VALUE')
    writer.bigint(value)
  },
})

/** An int64 that fits a number. */
export const safeInt64: Scalar<number> = scalar('int64', wireType.varint, 0, {
  read: (reader) => reader.signedSafe(),
  write: (writer, value) => writer.safe(checked(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
})

/** A uint64 that fits a number. */
export const safeUint64: Scalar<number> = scalar('uint64', wireType.varint, 0, {
  read: (reader) => reader.unsignedSafe(),
  write: (writer, value) => writer.safe(checked(value, 0, Number.MAX_SAFE_INTEGER)),
})

export const double: Scalar<number> = {
  ...scalar('double', wireType.fixed64, 0, {
    read: (reader) => reader.double(),
    write: (writer, value) => writer.double(value),
  }),
  // Minus zero has a bit set, and is written.
  isZero: (value) => Object.is(value, 0),
}

export const text: Scalar<string> = scalar('string', wireType.delimited, '', {
  read: (reader) => reader.text(),
  write: (writer, value) => writer.text(value),
})

const noBytes = Buffer.alloc(0)

export const bytes: Scalar<Buffer> = {
  ...scalar('bytes', wireType.delimited, noBytes, {
    read: (reader) => reader.blob(),
    write: (writer, value) => writer.blob(value),
  }),
  isZero: (value) => value.length === 0,
}

/** Names for numbers. A number without a name is kept as it is, so that it can be refused by name of what it is for. */
export function enumeration<const Names extends Readonly<Record<string, number>>>(
  name: string,
  names: Names,
): Scalar<EnumValue<Names>> {
  const byNumber = new Map<number, keyof Names>()
  for (const [key, number] of Object.entries(names)) {
    if (byNumber.has(number)) throw new Error(`enumeration ${name}: ${number} has two names`)
    byNumber.set(number, key)
  }
  const zero = byNumber.get(0)
  if (zero === undefined) throw new Error(`enumeration ${name}: nothing is named 0`)
  return {
    form: 'scalar',
    name,
    wireType: wireType.varint,
    zero,
    names,
    read: (reader) => {
      const number = reader.varint() | 0
      return byNumber.get(number) ?? number
    },
    write: (writer, value) => {
      const number = typeof value === 'number' ? value : names[value]
      if (number === undefined) throw new ProtobufError('BAD_VALUE', `${name} has no ${String(value)}`)
      writer.signed32(checked(number, -0x8000_0000, 0x7fff_ffff))
    },
    isZero: (value) => value === zero || value === 0,
  }
}

function scalar<T>(name: string, type: number, zero: T, codec: Pick<Scalar<T>, 'read' | 'write'>): Scalar<T> {
  return { form: 'scalar', name, wireType: type, zero, ...codec, isZero: (value) => value === zero }
}

function checked(value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most) throw new ProtobufError('BAD_VALUE', String(value))
  return value
}
