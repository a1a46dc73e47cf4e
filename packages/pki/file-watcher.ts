/**
 * Tells when any of some files has changed.
 *
 * Events of the file system are only hints to look: they miss network drives, come in bursts, and name other files when
 * a tool replaces a link or a whole directory. What counts is whether the files look different from before. A burst is
 * waited out, so that a key and its certificate are seen together; one that does not end is cut short.
 */
import { type FSWatcher, watch } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** How to watch; times are in milliseconds. */
export interface FileWatcherOptions {
  /** Quiet time after the last event before the files are looked at. */
  readonly debounce?: number
  /** How often they are looked at without any event. */
  readonly pollInterval?: number
}

/** The peers wait as long. */
const defaultDebounce = 1_000
const defaultPollInterval = 60_000
/** Of the quiet time, after which a burst of events is cut short. */
const maxDebounces = 5

/** Made by `start`. */
export class FileWatcher implements AsyncDisposable {
  readonly #onChange: () => Promise<void>
  readonly #debounce: number
  readonly #poll: NodeJS.Timeout
  readonly #watchers = new Map<string, FSWatcher>()
  #files: readonly string[] = []
  #seen = ''
  #waiting: { readonly timer: NodeJS.Timeout; readonly since: number } | undefined
  #looking: Promise<void> = Promise.resolve()
  #isClosed = false

  private constructor(onChange: () => Promise<void>, options: FileWatcherOptions) {
    this.#onChange = onChange
    this.#debounce = options.debounce ?? defaultDebounce
    this.#poll = setInterval(() => this.#look(), options.pollInterval ?? defaultPollInterval)
    this.#poll.unref()
  }

  /** Compares with how the files are now. `onChange` is never called twice at a time, nor after disposal. */
  static async start(
    files: readonly string[],
    onChange: () => Promise<void>,
    options: FileWatcherOptions = {},
  ): Promise<FileWatcher> {
    const watcher = new FileWatcher(onChange, options)
    await watcher.follow(files)
    watcher.#seen = await appearanceOf(files)
    return watcher
  }

  /** Watches these files from now on; a difference from what was seen last is still a change. */
  async follow(files: readonly string[]): Promise<void> {
    this.#files = files
    const directories = await directoriesOf(files)
    if (this.#isClosed) return
    for (const [directory, watcher] of this.#watchers) if (!directories.has(directory)) this.#drop(directory, watcher)
    for (const directory of directories) this.#watch(directory)
  }

  /** Idempotent; waits for a call that is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#poll)
    clearTimeout(this.#waiting?.timer)
    for (const [directory, watcher] of this.#watchers) this.#drop(directory, watcher)
    await this.#looking
  }

  #watch(directory: string): void {
    if (this.#watchers.has(directory)) return
    let watcher: FSWatcher
    try {
      watcher = watch(directory, { persistent: false })
    } catch {
      // Not there, or out of watches: polling still sees what happens, and tries again.
      return
    }
    watcher.on('change', () => this.#hint())
    watcher.on('error', () => {
      this.#drop(directory, watcher)
      this.#hint()
    })
    this.#watchers.set(directory, watcher)
  }

  #drop(directory: string, watcher: FSWatcher): void {
    watcher.close()
    this.#watchers.delete(directory)
  }

  #hint(): void {
    if (this.#isClosed) return
    const now = performance.now()
    const since = this.#waiting?.since ?? now
    const left = Math.min(this.#debounce, since + maxDebounces * this.#debounce - now)
    clearTimeout(this.#waiting?.timer)
    const timer = setTimeout(
      () => {
        this.#waiting = undefined
        this.#look()
      },
      Math.max(left, 0),
    )
    timer.unref()
    this.#waiting = { timer, since }
  }

  #look(): void {
    this.#looking = this.#looking.then(() => this.#compare())
  }

  async #compare(): Promise<void> {
    if (this.#isClosed) return
    const appearance = await appearanceOf(this.#files)
    if (this.#isClosed || appearance === this.#seen) return
    this.#seen = appearance
    // A directory that was replaced needs a new watch.
    for (const [directory, watcher] of this.#watchers) this.#drop(directory, watcher)
    await this.follow(this.#files)
    await this.#onChange()
    // What happened between two watches was heard by neither.
    this.#hint()
  }
}

/** Where a change shows: beside the file, and beside what a link leads to. */
async function directoriesOf(files: readonly string[]): Promise<Set<string>> {
  const directories = new Set<string>()
  for (const file of files) {
    directories.add(dirname(file))
    const target = await realpath(file).catch(() => file)
    directories.add(dirname(target))
  }
  return directories
}

async function appearanceOf(files: readonly string[]): Promise<string> {
  const parts = await Promise.all(
    files.map(async (file) => {
      try {
        const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
        return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`
      } catch (error) {
        return (error as NodeJS.ErrnoException).code ?? 'unreadable'
      }
    }),
  )
  return parts.join('\n')
}
