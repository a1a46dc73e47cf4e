/**
 * What goes over a channel, as records: for trace files, and for controllers that asked to watch. A record says what a
 * message was and how long, never what was in it.
 */
import { type Channel, type ChannelObserver, findHeader, valueLengthAt } from '@weft/wire'
import { type ChannelTrace, controlMessages, linkMessages, type TraceRecorder, traceRecord } from '@weft/wire/messages'

export interface TracerOptions extends TraceRecorder {
  /** The header by which messages name their circuit, where they do. */
  readonly circuitHeader?: number
}

/** How messages with controllers and those of links are read, under the names that the peers' tools have for these. */
export function tracersOf(identity: string, clock: { now(): number }) {
  const tracer = (protocol: string, messages: { nameOf(type: number): string | undefined }): TracerOptions => ({
    ...{ identity, protocol },
    nameOf: (type) => messages.nameOf(type),
    now: () => clock.now(),
  })
  const circuitHeader = linkMessages.messages.payload.headers.circuitId.key
  return { ctrl: tracer('ctrl', controlMessages), link: { ...tracer('data', linkMessages), circuitHeader } }
}

const longestCircuitId = 256

/** Tells of every message of a channel until it is disposed of. `tell` may not throw, nor send over the channel. */
export function traceChannel(
  channel: Channel,
  options: TracerOptions,
  tell: (trace: ChannelTrace) => void,
): Disposable {
  const { circuitHeader } = options
  const record = (buffer: Buffer, start: number, isRx: boolean): ChannelTrace =>
    traceRecord(options, { channel, buffer, start, isRx }, circuitIn(buffer, start))
  const circuitIn = (buffer: Buffer, start: number) => {
    const at = circuitHeader === undefined ? -1 : findHeader(buffer, start, circuitHeader)
    if (at < 0) return {}
    const length = Math.min(valueLengthAt(buffer, at), longestCircuitId)
    return { circuitId: buffer.toString('utf8', at, at + length) }
  }
  const observer: ChannelObserver = {
    received: (buffer, start) => tell(record(buffer, start, true)),
    sent: (head, start) => tell(record(head, start, false)),
  }
  return channel.observe(observer)
}
