/**
 * Hot: every sent frame passes here. Frames that wait for a connection to take them.
 *
 * Bounded by count and by bytes; a frame larger than the byte bound is taken when it is alone. When it is full, `push`
 * refuses: whether to wait, to drop or to give up is the caller's decision. The frames lie in rings that grow to what is
 * needed, and a taken frame is read from fields, so that nothing is allocated per frame.
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
  #rings: Rings
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
    this.#rings = makeRings(Math.min(capacity, firstRing))
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
    if (this.#length === this.#rings.size) this.#grow()
    const { size: places, heads, starts, ends, bodies, deadlines } = this.#rings
    const at = (this.#first + this.#length) % places
    heads[at] = head
    starts[at] = start
    ends[at] = end
    bodies[at] = body
    deadlines[at] = deadline
    this.#length++
    this.#bytes += size
    return true
  }

  /** Queues something that is not sent but tells when it would have been. */
  pushMarker(marker: QueueMarker): boolean {
    if (!this.push(nothing, 0, 0, undefined, 0)) return false
    const { size, markers } = this.#rings
    markers[(this.#first + this.#length - 1) % size] = marker
    return true
  }

  /** Takes the oldest; false when there is none. */
  shift(): boolean {
    if (this.#length === 0) return false
    const at = this.#first
    const { size, heads, starts, ends, bodies, deadlines, markers } = this.#rings
    this.head = heads[at]!
    this.start = starts[at]!
    this.end = ends[at]!
    this.body = bodies[at]
    this.deadline = deadlines[at]!
    this.marker = markers[at]
    heads[at] = nothing
    bodies[at] = undefined
    markers[at] = undefined
    this.#first = (at + 1) % size
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

  /** Of the frame that was taken: a queue that is idle for long keeps nothing of it. */
  forget(): void {
    this.head = nothing
    this.body = undefined
    this.marker = undefined
  }

  clear(): void {
    while (this.shift());
    this.forget()
  }

  #grow(): void {
    const before = this.#rings
    const grown = makeRings(Math.min(this.capacity, before.size * 2))
    for (let place = 0; place < this.#length; place++) {
      const at = (this.#first + place) % before.size
      grown.heads[place] = before.heads[at]!
      grown.starts[place] = before.starts[at]!
      grown.ends[place] = before.ends[at]!
      grown.bodies[place] = before.bodies[at]
      grown.deadlines[place] = before.deadlines[at]!
      grown.markers[place] = before.markers[at]
    }
    this.#rings = grown
    this.#first = 0
  }
}

/** Places for frames, one field of all of them each. */
interface Rings {
  readonly size: number
  readonly heads: Buffer[]
  readonly starts: Float64Array
  readonly ends: Float64Array
  readonly bodies: (Buffer | undefined)[]
  readonly deadlines: Float64Array
  readonly markers: (QueueMarker | undefined)[]
}

/** Enough for the queues of every plan: only those that a configuration makes larger ever grow. */
const firstRing = 128
const nothing = Buffer.alloc(0)

function makeRings(size: number): Rings {
  return {
    size,
    heads: new Array<Buffer>(size).fill(nothing),
    starts: new Float64Array(size),
    ends: new Float64Array(size),
    bodies: new Array<Buffer | undefined>(size).fill(undefined),
    deadlines: new Float64Array(size),
    markers: new Array<QueueMarker | undefined>(size).fill(undefined),
  }
}
