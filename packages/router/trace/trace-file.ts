/**
 * The file of the `trace` section: what went over control channels, in the format of the peers' tools. Repeated:
 *
 *   0  kind     int32 LE   0 for a channel that came or went, 1 for a message
 *   4  length   int32 LE
 *   8  record   protobuf
 *
 * It is emptied at start. A disk that is too slow costs records, which are counted, and never the channel.
 */
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import type { Channel } from '@weft/wire'
import { type ChannelTrace, channelStateTrace, channelTrace } from '@weft/wire/messages'
import { type TracerOptions, traceChannel } from './channel-tracer.ts'

const kinds = { state: 0, message: 1 } as const
const mostWaiting = 8 * 1024 * 1024
const nanosPerMilli = 1_000_000n

export interface TraceLog {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

export class TraceFile implements AsyncDisposable {
  readonly #stream: WriteStream
  #dropped = 0
  #isBroken = false

  private constructor(stream: WriteStream) {
    this.#stream = stream
  }

  /** Rejects when the file cannot be opened. */
  static async open(path: string, log: TraceLog): Promise<TraceFile> {
    const stream = createWriteStream(path, { flags: 'w', mode: 0o600 })
    await once(stream, 'open')
    const file = new TraceFile(stream)
    stream.on('error', (err) => {
      file.#isBroken = true
      log.error('the trace ends here', { path, err })
    })
    return file
  }

  /** Records that were not written. */
  get dropped(): number {
    return this.#dropped
  }

  /** Records a channel from now to its end. */
  watch(channel: Channel, options: TracerOptions): void {
    const state = (connected: boolean, remoteAddress: string) => ({
      timestamp: BigInt(options.now()) * nanosPerMilli,
      identity: options.identity,
      channel: channel.name,
      connected,
      remoteAddress,
    })
    this.#write(kinds.state, channelStateTrace.encode(state(true, channel.first.connection.remoteAddress)))
    const tracing = traceChannel(channel, options, (trace) => this.record(trace))
    void channel.closed.then(() => {
      tracing[Symbol.dispose]()
      this.#write(kinds.state, channelStateTrace.encode(state(false, '')))
    })
  }

  record(trace: ChannelTrace): void {
    this.#write(kinds.message, channelTrace.encode(trace))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#stream.closed || this.#isBroken) return
    const closed = once(this.#stream, 'close')
    this.#stream.end()
    await closed
  }

  #write(kind: number, record: Buffer): void {
    if (this.#isBroken || this.#stream.writableEnded || this.#stream.writableLength > mostWaiting) {
      this.#dropped++
      return
    }
    const head = Buffer.alloc(8)
    head.writeInt32LE(kind, 0)
    head.writeInt32LE(record.length, 4)
    this.#stream.write(Buffer.concat([head, record]))
  }
}
