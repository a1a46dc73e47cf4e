/** Events on a stream the process owns, standard output for one. A reader that stalls stalls only this sink. */
import type { Writable } from 'node:stream'
import type { EventSink, WriteOutcome } from './sink.ts'

export class StdoutSink implements EventSink {
  readonly #stream: Writable
  readonly #ignore = () => {}

  /** The stream stays open when the sink ends. */
  constructor(stream: Writable) {
    this.#stream = stream
    // Failed writes report through their callback; without a listener the same error would end the process.
    stream.on('error', this.#ignore)
  }

  write(lines: readonly string[], signal: AbortSignal): Promise<WriteOutcome> {
    const { promise, resolve } = Promise.withResolvers<WriteOutcome>()
    const giveUp = () => resolve({ written: 0, error: new Error('gave up waiting for the reader') })
    if (signal.aborted) {
      giveUp()
      return promise
    }
    signal.addEventListener('abort', giveUp, { once: true })
    this.#stream.write(lines.join(''), (error) => {
      signal.removeEventListener('abort', giveUp)
      resolve(error ? { written: 0, error } : { written: lines.length })
    })
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#stream.writableLength === 0) this.#stream.off('error', this.#ignore)
  }
}
