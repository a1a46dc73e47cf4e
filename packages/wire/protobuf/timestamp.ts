/** google.protobuf.Timestamp: nanoseconds since 1970 in memory, undefined when the field is absent. */
import { type ProtoReader, wireType } from './proto-reader.ts'
import type { Scalar } from './scalars.ts'

const secondsTag = (1 << 3) | wireType.varint
const nanosTag = (2 << 3) | wireType.varint
const nanosPerSecond = 1_000_000_000n
const nanosPerMilli = 1_000_000n

export const timestamp: Scalar<bigint | undefined> = {
  form: 'scalar',
  name: 'Timestamp',
  wireType: wireType.delimited,
  zero: undefined,
  read: readTimestamp,
  write: (writer, value) => {
    const lengthAt = writer.open()
    const nanos = mod(value ?? 0n, nanosPerSecond)
    const seconds = ((value ?? 0n) - nanos) / nanosPerSecond
    if (seconds !== 0n) {
      writer.varint(secondsTag)
      writer.bigint(seconds)
    }
    if (nanos !== 0n) {
      writer.varint(nanosTag)
      writer.varint(Number(nanos))
    }
    writer.close(lengthAt)
  },
  isZero: (value) => value === undefined,
}

/** Milliseconds since 1970, as the clock of this process gives them. */
export function timestampOf(milliseconds: number): bigint {
  return BigInt(milliseconds) * nanosPerMilli
}

/** Milliseconds since 1970; what is finer is cut off. */
export function millisecondsOf(nanoseconds: bigint): number {
  return Number((nanoseconds - mod(nanoseconds, nanosPerMilli)) / nanosPerMilli)
}

function readTimestamp(reader: ProtoReader): bigint {
  let seconds = 0n
  let nanos = 0
  const outerEnd = reader.enter()
  while (reader.position < reader.end) {
    const tag = reader.tag()
    if (tag === secondsTag) seconds = reader.signed64()
    else if (tag === nanosTag) nanos = reader.varint() | 0
    else reader.skip(tag & 7)
  }
  reader.leave(outerEnd)
  return seconds * nanosPerSecond + BigInt(nanos)
}

function mod(value: bigint, by: bigint): bigint {
  return ((value % by) + by) % by
}
