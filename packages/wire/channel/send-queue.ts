/**
 * Hot: every sent frame passes here. Frames that wait for a connection to take them.
 *
 * Bounded by count and by bytes; a frame larger than the byte bound is taken when it is alone. When it is full, `push`
 * refuses: whether to wait, to drop or to give up is the caller's decision. The frames lie in rings that are made once,
 * and a taken frame is read from fields, so that nothing is allocated per frame.
 */

/** Called when the writer reaches the marker. */
export type QueueMarker = (milliseconds: number) => void

export class SendQueue {
  readonly name: string
  readonly capacity: number
  readonly maxBytes: number
  /** Of the frame that `shift` took last. The head is everything when there is no body apart. */
  head: Buffer
  start = 0
  end = 0
  body: Buffer | undefined = undefined
  /** Monotonic milliseconds after which the frame is not worth sending; zero for never. */
  deadline = 0
  /** Set instead of a frame when a marker was taken. */
  marker: QueueMarker | undefined = undefined
  /** Senders that wait for room. */
  waiting = 0
  readonly #heads: Buffer[]
  readonly #starts: Float64Array
  readonly #ends: Float64Array
  readonly #bodies: (Buffer | undefined)[]
  readonly #deadlines: Float64Array
  readonly #markers: (QueueMarker | undefined)[]
  #first = 0
  #length = 0
  #bytes = 0
  #refused = 0
  #isRefusing = false
  #onRoom: (() => void) | undefined = undefined

  constructor(name: string, capacity: number, maxBytes: number) {
    this.name = name
    this.capacity = capacity
    this.maxBytes = maxBytes
    this.head = nothing
    this.#heads = new Array<Buffer>(capacity).fill(nothing)
    this.#starts = new Float64Array(capacity)
    this.#ends = new Float64Array(capacity)
    this.#bodies = new Array<Buffer | undefined>(capacity).fill(undefined)
    this.#deadlines = new Float64Array(capacity)
    this.#markers = new Array<QueueMarker | undefined>(capacity).fill(undefined)
  }

  get length(): number {
    return this.#length
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Frames that found no room. */
  get refused(): number {
    return this.#refused
  }

  hasRoom(bytes: number): boolean {
    return this.#length < this.capacity && (this.#length === 0 || this.#bytes + bytes <= this.maxBytes)
  }

  /** False when there is no room. The bytes belong to the queue from then on. */
  push(head: Buffer, start: number, end: number, body: Buffer | undefined, deadline: number): boolean {
    const size = end - start + (body === undefined ? 0 : body.length)
    if (!this.hasRoom(size)) {
      this.#refused++
      this.#isRefusing = true
      return false
    }
    const at = (this.#first + this.#length) % this.capacity
    this.#heads[at] = head
    this.#starts[at] = start
    this.#ends[at] = end
    this.#bodies[at] = body
    this.#deadlines[at] = deadline
    this.#length++
    this.#bytes += size
    return true
  }

  /** Queues something that is not sent but tells when it would have been. */
  pushMarker(marker: QueueMarker): boolean {
    if (!this.push(nothing, 0, 0, undefined, 0)) return false
    this.#markers[(this.#first + this.#length - 1) % this.capacity] = marker
    return true
  }

  /** Takes the oldest; false when there is none. */
  shift(): boolean {
    if (this.#length === 0) return false
    const at = this.#first
    this.head = this.#heads[at]!
    this.start = this.#starts[at]!
    this.end = this.#ends[at]!
    this.body = this.#bodies[at]
    this.deadline = this.#deadlines[at]!
    this.marker = this.#markers[at]
    this.#heads[at] = nothing
    this.#bodies[at] = undefined
    this.#markers[at] = undefined
    this.#first = (at + 1) % this.capacity
    this.#length--
    this.#bytes -= this.end - this.start + (this.body === undefined ? 0 : this.body.length)
    return true
  }

  /** Who wants to know when there is room again after a frame was refused. */
  onRoom(listener: (() => void) | undefined): void {
    this.#onRoom = listener
  }

  /** Whether somebody has to be told that there is room. */
  get isAwaited(): boolean {
    return this.#isRefusing || this.waiting > 0
  }

  /** Called after `shift`, by whoever empties the queue. */
  tellRoom(): void {
    if (!this.#isRefusing || this.#length > this.capacity / 2) return
    this.#isRefusing = false
    this.#onRoom?.()
  }

  clear(): void {
    while (this.shift());
    this.head = nothing
    this.body = undefined
    this.marker = undefined
  }
}

const nothing = Buffer.alloc(0)
