/**
 * Formatted events that wait for their sink. Bounded in number and in bytes; full means the newest is refused, so what
 * is written is always a gapless beginning of what was refused later.
 */
import type { EventNamespace } from './event-types.ts'

export interface QueuedLine {
  readonly namespace: EventNamespace
  /** With its line end. */
  readonly text: string
  readonly bytes: number
}

export interface QueueLimits {
  readonly maxLines: number
  readonly maxBytes: number
}

export class LineQueue {
  readonly #limits: QueueLimits
  #lines: QueuedLine[] = []
  #first = 0
  #bytes = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get length(): number {
    return this.#lines.length - this.#first
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether there is no place for any further line, however short. */
  get isFull(): boolean {
    return this.length >= this.#limits.maxLines || this.#bytes >= this.#limits.maxBytes
  }

  /** Adds a line, or answers false when there is no place for it. */
  push(line: QueuedLine): boolean {
    if (this.isFull || this.#bytes + line.bytes > this.#limits.maxBytes) return false
    this.#lines.push(line)
    this.#bytes += line.bytes
    return true
  }

  /** The oldest lines, at least one if there is any, up to a number of bytes. They stay queued. */
  peek(maxBytes: number): readonly QueuedLine[] {
    let end = this.#first
    let bytes = 0
    while (end < this.#lines.length) {
      bytes += this.#lines[end]!.bytes
      if (bytes > maxBytes && end > this.#first) break
      end += 1
    }
    return this.#lines.slice(this.#first, end)
  }

  /** Removes the oldest lines. */
  drop(count: number): void {
    const end = Math.min(this.#first + count, this.#lines.length)
    for (let i = this.#first; i < end; i++) this.#bytes -= this.#lines[i]!.bytes
    this.#first = end
    // Moving the rest costs as much as what was removed, so each line pays once.
    if (this.#first * 2 >= this.#lines.length) {
      this.#lines = this.#lines.slice(this.#first)
      this.#first = 0
    }
  }
}
