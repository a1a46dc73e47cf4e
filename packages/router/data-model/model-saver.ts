/** Saves the data model when it has changed, and not more often than it is told. */
import type { DataModel } from '@weft/model/data-model'
import type { WireLog } from '@weft/wire'
import type { ModelFile } from './model-file.ts'

export interface ModelSaverDeps {
  readonly file: ModelFile
  readonly model: () => DataModel
  readonly log: WireLog
}

export class ModelSaver implements AsyncDisposable {
  readonly #deps: ModelSaverDeps
  readonly #interval: number
  #isChanged = false
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()

  /** Milliseconds between two writes. */
  constructor(deps: ModelSaverDeps, interval: number) {
    this.#deps = deps
    this.#interval = interval
  }

  start(): this {
    this.#timer ??= setInterval(() => void this.save(), this.#interval).unref()
    return this
  }

  changed(): void {
    this.#isChanged = true
  }

  /** Writes what has changed since the last time. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save())
    return this.#saving
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.save()
  }

  async #save(): Promise<void> {
    if (!this.#isChanged) return
    this.#isChanged = false
    try {
      await this.#deps.file.save(this.#deps.model())
    } catch (err) {
      this.#isChanged = true
      this.#deps.log.warn('data model not saved', { err })
    }
  }
}
