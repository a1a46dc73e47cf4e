/**
 * The heartbeat of a channel as a machine: it is told the time and what was received, and says what to send.
 *
 * Heartbeats ride on whatever is sent. When the send interval is over, the next frame carries header 5 with our time; the
 * peer returns the value in header 6 on its next frame. Only when there is no traffic a frame of its own goes out. The
 * value is opaque to its receiver. One heart serves the whole channel, however many connections that has.
 */
import { channelHeader } from '../frame/channel-headers.ts'
import { bodyStartAt, fixedLength, headerOverhead, headersLengthOffset } from '../frame/layout.ts'
import type { ChannelClock } from './surroundings.ts'

/** Times in milliseconds. */
export interface HeartbeatOptions {
  readonly sendInterval: number
  /** How often the machine is asked whether something is due. */
  readonly checkInterval: number
  /** The channel is closed after this time without an answer. */
  readonly closeAfter: number
  /** Added to it at the start, for peers that are busy when they connect. */
  readonly grace: number
}

/** What a check asks for. */
export type HeartbeatVerdict = 'nothing' | 'send' | 'dead'

const maxUnanswered = 16
const valueLength = 8

export class Heart {
  readonly #options: HeartbeatOptions
  readonly #clock: ChannelClock
  #lastSent = Number.NEGATIVE_INFINITY
  #askedAt = Number.NEGATIVE_INFINITY
  #aliveAt: number
  #roundTrip: number | undefined = undefined
  /** The value to be returned with the next frame. */
  readonly #owed = Buffer.alloc(valueLength)
  #isOwing = false
  /** What was sent and not answered yet, oldest first. */
  readonly #unanswered: { readonly value: bigint; readonly at: number }[] = []
  #lastValue = 0n

  constructor(options: HeartbeatOptions, clock: ChannelClock) {
    this.#options = options
    this.#clock = clock
    this.#aliveAt = clock.monotonic() + options.grace
  }

  /** Of the newest answer, in milliseconds. */
  get roundTrip(): number | undefined {
    return this.#roundTrip
  }

  /** Milliseconds since the last answer; negative within the grace of the start. */
  get silence(): number {
    return this.#clock.monotonic() - this.#aliveAt
  }

  /** Milliseconds for which the oldest unanswered heartbeat has been waiting; zero when all are answered. */
  get waiting(): number {
    const oldest = this.#unanswered[0]
    return oldest === undefined ? 0 : this.#clock.monotonic() - oldest.at
  }

  get isOwing(): boolean {
    return this.#isOwing
  }

  /** Asked every check interval. */
  check(): HeartbeatVerdict {
    if (this.silence > this.#options.closeAfter) return 'dead'
    const now = this.#clock.monotonic()
    // Asked for once: while no connection takes the frame, more of them would only fill the queue.
    if (!this.#isDue(now) || now - this.#askedAt <= this.#options.sendInterval) return 'nothing'
    this.#askedAt = now
    return 'send'
  }

  /** Header 5 came, its value at `at`. Of several only the newest is answered; zero is never answered. */
  receivedBeat(buffer: Buffer, at: number): void {
    buffer.copy(this.#owed, 0, at, at + valueLength)
    this.#isOwing = this.#owed.some((byte) => byte !== 0)
  }

  /** Header 6 came. Values we did not send are ignored; otherwise gives back the round trip. */
  receivedAnswer(buffer: Buffer, at: number): number | undefined {
    const value = buffer.readBigUInt64LE(at)
    const index = this.#unanswered.findIndex((sent) => sent.value === value)
    if (index < 0) return undefined
    const now = this.#clock.monotonic()
    this.#roundTrip = now - this.#unanswered[index]!.at
    this.#aliveAt = Math.max(this.#aliveAt, now)
    this.#unanswered.splice(0, index + 1)
    return this.#roundTrip
  }

  /** Whether the frame about to be written has to carry something. */
  hasLoad(now: number): boolean {
    return this.#isOwing || this.#isDue(now)
  }

  /** Puts what is due into a frame's head: a new buffer, with the headers behind the fixed part. */
  load(head: Buffer, start: number, end: number): Buffer {
    const now = this.#clock.monotonic()
    const isDue = this.#isDue(now)
    const size = headerOverhead + valueLength
    const added = (isDue ? size : 0) + (this.#isOwing ? size : 0)
    const loaded = Buffer.allocUnsafe(end - start + added)
    head.copy(loaded, 0, start, start + fixedLength)
    loaded.writeUInt32LE(bodyStartAt(head, start) - start - fixedLength + added, headersLengthOffset)
    let at = fixedLength
    if (isDue) {
      at = writeKey(loaded, at, channelHeader.heartbeat)
      at = loaded.writeBigUInt64LE(this.#nextValue(now), at)
      this.#lastSent = now
    }
    if (this.#isOwing) {
      at = writeKey(loaded, at, channelHeader.heartbeatResponse)
      at += this.#owed.copy(loaded, at)
      this.#isOwing = false
    }
    head.copy(loaded, at, start + fixedLength, end)
    return loaded
  }

  #isDue(now: number): boolean {
    return now - this.#lastSent > this.#options.sendInterval
  }

  /** Nanoseconds since the epoch as Go peers send them, never the same twice. */
  #nextValue(now: number): bigint {
    const time = BigInt(Math.round(this.#clock.now())) * 1_000_000n
    this.#lastValue = time > this.#lastValue ? time : this.#lastValue + 1n
    this.#unanswered.push({ value: this.#lastValue, at: now })
    if (this.#unanswered.length > maxUnanswered) this.#unanswered.shift()
    return this.#lastValue
  }
}

function writeKey(target: Buffer, at: number, key: number): number {
  target.writeInt32LE(key, at)
  return target.writeUInt32LE(valueLength, at + 4)
}
