/**
 * Hot: a connection at work in a channel. Reads frames and hands them up; pulls frames from the queues it may empty and
 * writes them, as many as are there in one write per turn of the event loop.
 *
 * A slow connection pulls less: it stops when the socket's buffer is full and goes on when that has drained.
 */
import type { FrameLimits } from '../frame/frame-limits.ts'
import type { Heart } from './heartbeat.ts'
import type { SendQueue } from './send-queue.ts'
import type { ChannelClock } from './surroundings.ts'
import type { Underlay } from './underlay.ts'
import { WriteBatch } from './write-batch.ts'

/** What a connection needs of its channel. */
export interface UnderlayHost {
  readonly clock: ChannelClock
  readonly heart: Heart | undefined
  received(buffer: Buffer, start: number, end: number, from: AttachedUnderlay): void
  /** After a frame was handed to the socket. */
  sent(head: Buffer, start: number, end: number, body: Buffer | undefined, over: AttachedUnderlay): void
  /** A frame was taken from a queue for whose room somebody waits. */
  hasRoom(queue: SendQueue): void
  /** The connection is full and frames are left: perhaps another one can take them. */
  isStuck(underlay: AttachedUnderlay): void
  gone(underlay: AttachedUnderlay, error: Error | undefined): void
}

/** Of one write. */
const batchSize = 64 * 1024
const batchFrames = 256
/** Before other connections get their turn. */
const turnSize = 512 * 1024
/** Every so often the least urgent queue goes first, so that none starves. */
const fairness = 16
/** Handlers that may be at work on messages of one connection before it is not read any further. */
const maxAtWork = 64

export class AttachedUnderlay {
  readonly underlay: Underlay
  readonly attachedAt: number
  readonly #host: UnderlayHost
  #queues: readonly SendQueue[] = []
  #isWritable = true
  #blockedAt = 0
  #isScheduled = false
  #isGone = false
  #atWork = 0
  #isBusy = false
  #isPaused = false
  #turns = 0
  readonly #batch = new WriteBatch()

  constructor(underlay: Underlay, host: UnderlayHost, pieceSize: number | undefined) {
    this.underlay = underlay
    this.#host = host
    if (pieceSize !== undefined) underlay.connection.writeInPieces(pieceSize)
    this.attachedAt = host.clock.monotonic()
  }

  get type(): string {
    return this.underlay.type
  }

  get isWritable(): boolean {
    return this.#isWritable && !this.#isGone
  }

  get isScheduled(): boolean {
    return this.#isScheduled
  }

  /** Milliseconds for which the peer has taken nothing. */
  blockedFor(now: number): number {
    return this.#isWritable ? 0 : now - this.#blockedAt
  }

  /** Goes on where the hello stopped. */
  start(limits: FrameLimits): void {
    const { connection, reader } = this.underlay
    reader.become((buffer, start, end) => this.#host.received(buffer, start, end, this), limits)
    connection.attach({
      onData: (chunk) => this.#read(chunk),
      onDrain: () => {
        this.#isWritable = true
        if (!this.#isScheduled) this.#flush()
      },
      onClose: (error) => this.#end(error),
    })
    this.#goOn()
  }

  /** The queues to empty from now on, the most urgent first. */
  setQueues(queues: readonly SendQueue[]): void {
    this.#queues = queues
    this.schedule()
  }

  serves(queue: SendQueue): boolean {
    return this.#queues.includes(queue)
  }

  get hasWork(): boolean {
    return this.#queues.some((queue) => queue.length > 0)
  }

  /** Everything that is queued within this turn goes out together at its end. */
  schedule(): void {
    if (this.#isScheduled || !this.#isWritable || this.#isGone || !this.hasWork) return
    this.#isScheduled = true
    setImmediate(this.#flush)
  }

  /** A handler has begun that is not done yet. */
  beginWork(): void {
    if (++this.#atWork < maxAtWork) return
    this.#isBusy = true
    this.#stop()
  }

  endWork(): void {
    if (--this.#atWork > maxAtWork / 2 || !this.#isBusy) return
    this.#isBusy = false
    this.#goOn()
  }

  /** Nothing is read, until `resume`. */
  pause(): void {
    this.#isPaused = true
    this.#stop()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#goOn()
  }

  close(): void {
    this.underlay.connection.close()
    this.#end(undefined)
  }

  destroy(error: Error): void {
    this.underlay.connection.destroy(error)
    this.#end(error)
  }

  #read(chunk: Buffer): void {
    if (this.#isGone) return
    try {
      this.underlay.reader.push(chunk)
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  #stop(): void {
    if (this.#isGone) return
    this.underlay.reader.hold()
    this.underlay.connection.pause()
  }

  #goOn(): void {
    if (this.#isGone || this.#isBusy || this.#isPaused) return
    const { connection, reader } = this.underlay
    try {
      reader.release()
    } catch (error) {
      this.destroy(error as Error)
      return
    }
    if (!reader.isHeld) connection.resume()
  }

  #end(error: Error | undefined): void {
    if (this.#isGone) return
    this.#isGone = true
    // What is left of a chunk that is being read is not handed up any more.
    this.underlay.reader.hold()
    this.underlay.reader[Symbol.dispose]()
    this.#host.gone(this, error)
  }

  readonly #flush = (): void => {
    this.#isScheduled = false
    for (let written = 0; this.isWritable && written < turnSize; ) {
      const bytes = this.#writeBatch()
      if (bytes === 0) return
      written += bytes
    }
    if (this.isWritable) this.schedule()
    else if (!this.#isGone && this.hasWork) this.#host.isStuck(this)
  }

  /** Gives back how many bytes were written. */
  #writeBatch(): number {
    const { heart, clock } = this.#host
    const now = clock.monotonic()
    const { connection } = this.underlay
    const most = connection.keepsBoundaries ? 1 : batchFrames
    const batch = this.#batch
    for (let frames = 0; frames < most && batch.size < batchSize; ) {
      const queue = this.#nextQueue()
      if (queue === undefined) break
      queue.shift()
      let { head, start, end } = queue
      const { body, deadline, marker } = queue
      queue.forget()
      if (queue.isAwaited) this.#host.hasRoom(queue)
      if (marker !== undefined) {
        marker(now)
        continue
      }
      if (deadline !== 0 && now > deadline) continue
      if (heart?.hasLoad(now) === true) {
        head = heart.load(head, start, end)
        start = 0
        end = head.length
      }
      batch.add(head, start, end)
      if (body !== undefined) batch.add(body, 0, body.length)
      frames++
      this.#host.sent(head, start, end, body, this)
    }
    const bytes = batch.size
    if (bytes > 0) batch.writeTo(this.#write, connection.keepsBoundaries)
    return bytes
  }

  readonly #write = (bytes: Buffer): void => {
    if (this.underlay.connection.write(bytes)) return
    if (this.#isWritable) this.#blockedAt = this.#host.clock.monotonic()
    this.#isWritable = false
  }

  #nextQueue(): SendQueue | undefined {
    const queues = this.#queues
    if (++this.#turns % fairness === 0) {
      for (let at = queues.length - 1; at >= 0; at--) if (queues[at]!.length > 0) return queues[at]
    }
    for (let at = 0; at < queues.length; at++) if (queues[at]!.length > 0) return queues[at]
    return undefined
  }
}
