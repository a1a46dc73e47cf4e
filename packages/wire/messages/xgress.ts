/**
 * What carries a circuit's data, over links and between router and SDK alike: payloads, their acknowledgements, and
 * controls.
 */
import { headersBetween, type MessageTable, optional, required } from '../catalogue/definition.ts'
import { bytes, index, prose, text, u16, u32, u64, ValueError, type ValueKind } from '../catalogue/value-kinds.ts'

/** Bits of a payload's and an acknowledgement's `flags`. */
export const xgressFlag = {
  circuitEnd: 1,
  /** Set by the side where the circuit ends, absent on the side that dialed. */
  terminator: 2,
  circuitStart: 4,
  chunk: 8,
  retransmit: 16,
  eof: 32,
  writeFailed: 64,
} as const

/** Keys of a payload's own headers. */
export const payloadHeader = {
  traceUuid: 0,
  /** A mask of 32 bits, highest byte first: see `payloadCapability`. */
  capabilities: 1,
  /** Flags of an edge connection, 32 bits, lowest byte first. */
  edgeFlags: 16,
} as const

/** Places of bits in a payload's capabilities. */
export const payloadCapability = { eof: 8 } as const

/** What a control asks or tells. */
export const controlType = { traceRoute: 1, traceRouteResponse: 2 } as const

const payloadHeaderOffset = 2000

const circuitId = required(2256, text)
const flags = optional(2258, u32)
/** The low 16 bits of the sender's clock in milliseconds; acknowledgements return it. 0 or absent = none. */
const rttStamp = optional(2260, u16)
/** Between router and SDK; it also strays onto links. */
const connId = optional(1000, u32)

/** More than a sender can have under way. */
const maxSequences = 65_536

/** Sequences, four bytes each, highest byte first. */
const sequences: ValueKind<readonly number[]> = {
  kind: 'list of int32',
  read: (body) => {
    if (body.length % 4 !== 0 || body.length > 4 * maxSequences) {
      throw new ValueError(`${body.length} bytes are no list of sequences`)
    }
    return Array.from({ length: body.length / 4 }, (_, place) => body.readInt32BE(place * 4))
  },
  write: (values) => {
    const body = Buffer.allocUnsafe(values.length * 4)
    for (const [place, value] of values.entries()) body.writeInt32BE(value, place * 4)
    return body
  },
}

/** A byte for the type (see `controlType`), then the id of the circuit. */
const controlBody: ValueKind<{ readonly type: number; readonly circuitId: string }> = {
  kind: 'control',
  read: (body) => {
    if (body.length < 2) throw new ValueError(`${body.length} bytes are no control`)
    return { type: body[0]!, circuitId: text.read(body.subarray(1)) }
  },
  write: ({ type, circuitId }) => Buffer.concat([Buffer.from([type]), text.write(circuitId)]),
}

export const xgressMessages = {
  payload: {
    type: 1100,
    from: 'either',
    headers: {
      circuitId,
      sequence: required(2257, index),
      flags,
      rttStamp,
      connId,
      /** See `payloadHeader`. */
      headers: headersBetween(payloadHeaderOffset, payloadHeaderOffset + 255, payloadHeaderOffset),
    },
    body: bytes,
  },
  acknowledgement: {
    type: 1101,
    from: 'either',
    headers: {
      circuitId,
      flags,
      /** What the acknowledging side has buffered; absent counts as blocked. */
      recvBufferSize: optional(2259, u32),
      rttStamp,
      connId,
    },
    body: sequences,
  },
  control: {
    type: 1102,
    from: 'either',
    headers: {
      hopCount: optional(20, u32),
      hopType: optional(21, text),
      hopId: optional(22, text),
      timestamp: optional(23, u64),
      /** Finds the request again. */
      userValue: optional(24, u32),
      error: optional(25, prose),
      connId,
    },
    body: controlBody,
    replies: ['control'], // between router and SDK
  },
} as const satisfies MessageTable
