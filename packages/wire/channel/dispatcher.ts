/** Who handles which message, and what becomes of handlers that fail. */
import { type Message, messageAt } from '../frame/message.ts'
import { ProtocolError } from '../frame/protocol-error.ts'
import type { AttachedUnderlay } from './attached-underlay.ts'
import type { Channel } from './channel.ts'
import { ChannelError } from './channel-error.ts'
import type { WireLog } from './surroundings.ts'

/** A handler that returns a promise is at work until that settles; with many at work its connection is not read. */
export type MessageHandler = (message: Message, channel: Channel) => void | Promise<void>

/** Gets a frame where it was read, and may keep or change it. Called for each frame: no promises. */
export type FrameHandler = (buffer: Buffer, start: number, end: number, channel: Channel) => void

export class Dispatcher {
  readonly #channel: Channel
  readonly #log: WireLog
  readonly #handlers = new Map<number, MessageHandler>()
  readonly #frameHandlers = new Map<number, FrameHandler>()
  #rest: MessageHandler | undefined

  constructor(channel: Channel, log: WireLog) {
    this.#channel = channel
    this.#log = log
  }

  handle(contentType: number, handler: MessageHandler): void {
    this.#handlers.set(contentType, handler)
  }

  handleFrames(contentType: number, handler: FrameHandler): void {
    this.#frameHandlers.set(contentType, handler)
  }

  handleRest(handler: MessageHandler): void {
    this.#rest = handler
  }

  /** False when nobody handles this type. Never throws: what a handler throws is logged. */
  dispatch(contentType: number, buffer: Buffer, start: number, end: number, from: AttachedUnderlay): boolean {
    try {
      const frameHandler = this.#frameHandlers.get(contentType)
      if (frameHandler !== undefined) {
        frameHandler(buffer, start, end, this.#channel)
        return true
      }
      const handler = this.#handlers.get(contentType) ?? this.#rest
      if (handler === undefined) return false
      const work = handler(messageAt(buffer, start, end), this.#channel)
      if (work !== undefined) {
        from.beginWork()
        work.catch((error: unknown) => this.#failed(contentType, error)).finally(() => from.endWork())
      }
    } catch (error) {
      this.#failed(contentType, error)
    }
    return true
  }

  #failed(contentType: number, err: unknown): void {
    // An answer that found its channel closed is no news.
    if (this.#channel.isClosed && err instanceof ChannelError) return
    const fields = { channel: this.#channel.name, contentType, err }
    const isExpected = err instanceof ProtocolError || err instanceof ChannelError
    if (isExpected) this.#log.warn('message could not be handled', fields)
    else this.#log.error('message handler failed', fields)
  }
}
