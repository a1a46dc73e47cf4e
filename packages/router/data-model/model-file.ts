/**
 * The file that keeps the data model, so that a router that starts without a controller serves what it served before:
 * the whole state as controllers send it, compressed.
 */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { writeFileAtomic } from '@weft/pki'
import { type DataState, dataState } from '@weft/wire/messages'

const compress = promisify(gzip)
const expand = promisify(gunzip)
const fileMode = 0o600
/** The model of a hundred thousand identities is a tenth of this. */
const maxOutputLength = 1024 * 1024 * 1024

/** The file is there and holds no model. */
export class ModelFileError extends Error {
  readonly code = 'UNREADABLE'

  constructor(path: string, cause: unknown) {
    super(`${path} does not hold a data model`, { cause })
    this.name = 'ModelFileError'
  }
}

/** Undefined when there is no such file; rejects with `ModelFileError` when it cannot be read. */
export async function loadModelFile(path: string): Promise<DataState | undefined> {
  try {
    return dataState.decode(await expand(await readFile(path), { maxOutputLength }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new ModelFileError(path, error)
  }
}

/** A reader, and a process killed at any point, sees the old one or the new one. */
export async function saveModelFile(path: string, state: DataState): Promise<void> {
  await writeFileAtomic(path, await compress(dataState.encode(state)), fileMode)
}

/** A model that changes. */
export interface KeptModel {
  /** Another number for every change. */
  readonly revision: number
  state(): DataState
}

export interface ModelKeeperDeps {
  readonly model: KeptModel
  readonly log: { error(message: string, fields?: Readonly<Record<string, unknown>>): void }
}

export interface ModelKeeperOptions {
  readonly path: string
  /** Milliseconds between two looks whether there is something to write. */
  readonly interval: number
}

/** Writes the file when the model has changed, and not more often than it is told. */
export class ModelKeeper implements AsyncDisposable {
  readonly #deps: ModelKeeperDeps
  readonly #options: ModelKeeperOptions
  #kept: number
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(deps: ModelKeeperDeps, options: ModelKeeperOptions) {
    this.#deps = deps
    this.#options = options
    this.#kept = deps.model.revision
  }

  start(): this {
    this.#timer ??= setInterval(() => void this.save(), this.#options.interval).unref()
    return this
  }

  /** Writes what has changed since the last time; a failure is logged and tried again. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save())
    return this.#saving
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.save()
  }

  async #save(): Promise<void> {
    const { model, log } = this.#deps
    const { revision } = model
    if (revision === this.#kept) return
    try {
      await saveModelFile(this.#options.path, model.state())
      this.#kept = revision
    } catch (err) {
      log.error('the data model could not be kept', { path: this.#options.path, err })
    }
  }
}
