/**
 * The `profile` section of the configuration: a CPU profile of the whole run, and memory profiles now and then. A file
 * that cannot be written is told in the log; nothing else depends on it.
 */
import { resolve } from 'node:path'
import { writeFileAtomic } from '@weft/pki'
import { CpuProfile } from './cpu-profile.ts'
import { HeapProfile } from './heap-profile.ts'

export interface ProfileOptions {
  readonly cpu?: { readonly path: string } | undefined
  /** Milliseconds. */
  readonly memory?: { readonly path: string; readonly interval: number } | undefined
}

export interface ProfileDeps {
  readonly baseDirectory: string
  readonly log: { warn(message: string, fields?: Readonly<Record<string, unknown>>): void }
}

const fileMode = 0o600

export class ProfileFiles implements AsyncDisposable {
  readonly #deps: ProfileDeps
  readonly #options: ProfileOptions
  #cpu: CpuProfile | undefined
  #heap: HeapProfile | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined

  private constructor(deps: ProfileDeps, options: ProfileOptions) {
    this.#deps = deps
    this.#options = options
  }

  static async start(deps: ProfileDeps, options: ProfileOptions): Promise<ProfileFiles> {
    const files = new ProfileFiles(deps, options)
    if (options.cpu !== undefined) files.#cpu = await CpuProfile.start()
    if (options.memory !== undefined) {
      files.#heap = await HeapProfile.start()
      files.#timer = setInterval(() => void files.writeMemory(), options.memory.interval).unref()
    }
    return files
  }

  /** Writes a memory profile now. While one is being written, no other is begun. */
  async writeMemory(): Promise<void> {
    const { memory } = this.#options
    const heap = this.#heap
    if (memory === undefined || heap === undefined) return
    this.#writing ??= this.#write(memory.path, () => heap.read()).finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#writing
    await this.writeMemory()
    await this.#heap?.[Symbol.asyncDispose]()
    const cpu = this.#cpu
    if (cpu === undefined || this.#options.cpu === undefined) return
    await this.#write(this.#options.cpu.path, () => cpu.stop())
    await cpu[Symbol.asyncDispose]()
    this.#cpu = undefined
  }

  async #write(path: string, read: () => Promise<string>): Promise<void> {
    try {
      await writeFileAtomic(resolve(this.#deps.baseDirectory, path), await read(), fileMode)
    } catch (err) {
      this.#deps.log.warn('a profile could not be written', { path, err })
    }
  }
}
