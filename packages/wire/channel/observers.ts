/** Hot. Those who watch a channel. What one of them throws is logged and reaches neither the peer nor the process. */
import type { ChannelObserver } from './channel-events.ts'
import type { WireLog } from './surroundings.ts'

export class Observers {
  readonly #log: WireLog
  #all: readonly ChannelObserver[] = []

  constructor(log: WireLog) {
    this.#log = log
  }

  /** Until the answer is disposed of. */
  add(observer: ChannelObserver): Disposable {
    this.#all = [...this.#all, observer]
    return {
      [Symbol.dispose]: () => {
        this.#all = this.#all.filter((other) => other !== observer)
      },
    }
  }

  received(buffer: Buffer, start: number, end: number, underlayType: string): void {
    for (const observer of this.#all) {
      try {
        observer.received?.(buffer, start, end, underlayType)
      } catch (err) {
        this.#failed(err)
      }
    }
  }

  sent(head: Buffer, start: number, end: number, body: Buffer | undefined, underlayType: string): void {
    for (const observer of this.#all) {
      try {
        observer.sent?.(head, start, end, body, underlayType)
      } catch (err) {
        this.#failed(err)
      }
    }
  }

  answered(roundTrip: number): void {
    for (const observer of this.#all) {
      try {
        observer.answered?.(roundTrip)
      } catch (err) {
        this.#failed(err)
      }
    }
  }

  #failed(err: unknown): void {
    this.#log.error('a channel observer failed', { err })
  }
}
