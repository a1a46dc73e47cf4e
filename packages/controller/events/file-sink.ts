/**
 * Events in a file that is appended to and put aside when it is full.
 *
 * Opened without blocking, because the path may be a named pipe: a reader that stalls then shows as "try again" instead
 * of holding a thread of the pool, which would keep the process from exiting. After any failure the file is opened anew
 * at the next write, so a disk that recovers or a file that was moved away is picked up by itself.
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { pruneBackups, putAside } from './backup-files.ts'
import type { EventSink, WriteOutcome } from './sink.ts'

export interface FileSinkOptions {
  readonly path: string
  /** The file is put aside before it would grow beyond this. */
  readonly maxBytes: number
  /** 0 keeps all. */
  readonly maxBackups: number
}

interface OpenFile {
  readonly handle: FileHandle
  /** Pipes and devices are neither measured nor put aside. */
  readonly isRegular: boolean
  size: number
}

// Windows has no such flag and no named pipes in the file system.
const OPEN_FLAGS =
  constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0)
const RETRY_MILLISECONDS = 50
const LINE_END = 0x0a

export class FileSink implements EventSink {
  readonly #clock: Clock
  readonly #options: FileSinkOptions
  #file: OpenFile | undefined
  #isClosed = false
  #mustReopen = false
  /** A line was cut off; the next one must not continue it. */
  #isMidLine = false

  /** Opens the file, so that a path that cannot be written to is known at once. */
  static async open(deps: { readonly clock: Clock }, options: FileSinkOptions): Promise<FileSink> {
    const sink = new FileSink(deps, options)
    try {
      await sink.#open()
    } catch (error) {
      // A named pipe nobody reads yet: the reader may come later.
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
    }
    return sink
  }

  private constructor(deps: { readonly clock: Clock }, options: FileSinkOptions) {
    this.#clock = deps.clock
    this.#options = options
  }

  /** Opens the path anew at the next write: for tools that move the file away themselves. */
  reopen(): void {
    this.#mustReopen = true
  }

  async write(lines: readonly string[], signal: AbortSignal): Promise<WriteOutcome> {
    let written = 0
    try {
      while (written < lines.length) {
        const file = await this.#ready(Buffer.byteLength(lines[written]!))
        const text = this.#chunk(lines, written, file)
        await this.#append(file, text, signal, (whole) => {
          written += whole
        })
      }
      return { written }
    } catch (error) {
      await this.#close().catch(() => {
        // The write's own failure is the one to report; the descriptor is gone either way.
      })
      return { written, error: error as Error }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#close()
  }

  /** The open file, with room for the next line unless it is empty. */
  async #ready(lineBytes: number): Promise<OpenFile> {
    if (this.#isClosed) throw new Error('the event file is closed')
    if (this.#mustReopen) {
      this.#mustReopen = false
      await this.#close()
    }
    const { path, maxBytes, maxBackups } = this.#options
    let file = this.#file ?? (await this.#open())
    if (file.isRegular && file.size > 0 && file.size + lineBytes > maxBytes) {
      await this.#close()
      await putAside(path, this.#clock.now())
      await pruneBackups(path, maxBackups)
      file = await this.#open()
    }
    return file
  }

  async #open(): Promise<OpenFile> {
    const handle = await open(this.#options.path, OPEN_FLAGS, 0o600)
    try {
      const stat = await handle.stat()
      this.#file = { handle, isRegular: stat.isFile(), size: stat.size }
      return this.#file
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  async #close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.handle.close()
  }

  /** As many lines as fit into the file, at least one. */
  #chunk(lines: readonly string[], from: number, file: OpenFile): string {
    let size = file.size
    let end = from
    do size += Buffer.byteLength(lines[end++]!)
    while (end < lines.length && (!file.isRegular || size + Buffer.byteLength(lines[end]!) <= this.#options.maxBytes))
    return lines.slice(from, end).join('')
  }

  /** Tells of lines as they arrive whole, so that none is offered again after a failure half-way. */
  async #append(file: OpenFile, text: string, signal: AbortSignal, onLines: (whole: number) => void): Promise<void> {
    if (this.#isMidLine) await this.#appendBytes(file, Buffer.from('\n'), signal, () => {})
    await this.#appendBytes(file, Buffer.from(text), signal, onLines)
  }

  async #appendBytes(file: OpenFile, bytes: Buffer, signal: AbortSignal, onLines: (whole: number) => void) {
    let offset = 0
    while (offset < bytes.length) {
      signal.throwIfAborted()
      try {
        const { bytesWritten } = await file.handle.write(bytes, offset)
        const arrived = bytes.subarray(offset, offset + bytesWritten)
        offset += bytesWritten
        file.size += bytesWritten
        if (arrived.length > 0) this.#isMidLine = arrived.at(-1) !== LINE_END
        onLines(countLineEnds(arrived))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
        await sleep(RETRY_MILLISECONDS, undefined, { signal })
      }
    }
  }
}

function countLineEnds(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) count += 1
  return count
}
