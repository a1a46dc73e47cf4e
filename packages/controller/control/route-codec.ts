/** Routes and their results, between the fabric's plain objects and the messages of the control channel. */
import type { ControlMessage, ControlMessageInit } from '@weft/wire/messages'
import type { RouteMessage, RouteResult } from '../fabric/route-message.ts'

const destTypes = { start: 'Start', end: 'End', link: 'Link' } as const
const NANOSECONDS = 1_000_000n

export function routeOf(message: RouteMessage): ControlMessageInit<'route'>['body'] {
  const { circuitId, attempt, egress, forwards, context, timeout, tags } = message
  return {
    circuitId,
    attempt,
    ...(egress !== undefined && { egress: { ...egress, peerData: buffers(egress.peerData) } }),
    forwards: forwards.map(({ dstType, ...addresses }) => ({ ...addresses, dstType: destTypes[dstType] })),
    context: { fields: new Map(Object.entries(context)) },
    timeout: BigInt(Math.max(1, Math.round(timeout))) * NANOSECONDS,
    tags: new Map(Object.entries(tags)),
  }
}

export function routeResultOf(result: ControlMessage<'routeResult'>): RouteResult {
  if (result.success !== undefined) return { isSuccess: true, peerData: result.peerData }
  return { isSuccess: false, code: result.errorCode ?? 0, message: result.error ?? '' }
}

function buffers(data: ReadonlyMap<number, Uint8Array>): ReadonlyMap<number, Buffer> {
  return new Map(data.entries().map(([key, value]) => [key, Buffer.from(value.buffer, value.byteOffset, value.length)]))
}
