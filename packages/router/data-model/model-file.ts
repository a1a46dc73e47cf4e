/**
 * The data model on disk: what controllers sent, compressed, so that a router that starts without a controller serves
 * who was allowed when it stopped. The form is the peers'.
 */
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { writeFileAtomic } from '@weft/pki'
import { type DataState, dataState } from '@weft/wire/messages'

const compress = promisify(gzip)
const decompress = promisify(gunzip)
const fileMode = 0o600
const mostBytes = { compressed: 256 * 1024 * 1024, plain: 1024 * 1024 * 1024 }

/** Why a kept model cannot be used. */
export const modelFileErrors = {
  TOO_LARGE: 'the kept data model is larger than any that is used',
  UNREADABLE: 'the kept data model cannot be read',
} as const

export type ModelFileErrorCode = keyof typeof modelFileErrors

export class ModelFileError extends Error {
  readonly code: ModelFileErrorCode

  constructor(code: ModelFileErrorCode, path: string, options?: { readonly cause: unknown }) {
    super(`${modelFileErrors[code]}: ${path}`, options)
    this.name = 'ModelFileError'
    this.code = code
  }
}

/** Undefined when there is none. Rejects with `ModelFileError`; a router then starts without, as if it were new. */
export async function loadModelFile(path: string): Promise<DataState | undefined> {
  try {
    if ((await stat(path)).size > mostBytes.compressed) throw new ModelFileError('TOO_LARGE', path)
    const plain = await decompress(await readFile(path), { maxOutputLength: mostBytes.plain })
    return dataState.decode(plain)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (cause instanceof ModelFileError) throw cause
    throw new ModelFileError('UNREADABLE', path, { cause })
  }
}

/** Durable once it resolves; a process killed before leaves the one that was there. */
export async function saveModelFile(path: string, state: DataState): Promise<void> {
  await writeFileAtomic(path, await compress(dataState.encode(state)), fileMode)
}

/** What is kept. */
export interface KeptModel {
  /** Changes whenever the model does. */
  readonly revision: number | string
  state(): DataState
}

export interface ModelKeeperDeps {
  readonly model: KeptModel
  readonly log: { error(message: string, fields?: Readonly<Record<string, unknown>>): void }
}

/** Writes the model now and then, if it has changed, and once more at the end. */
export class ModelKeeper implements AsyncDisposable {
  readonly #deps: ModelKeeperDeps
  readonly #path: string
  readonly #interval: number
  #saved: KeptModel['revision']
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()

  /** `interval` is in milliseconds. What the model holds now counts as kept. */
  constructor(deps: ModelKeeperDeps, options: { readonly path: string; readonly interval: number }) {
    this.#deps = deps
    this.#path = options.path
    this.#interval = options.interval
    this.#saved = deps.model.revision
  }

  start(): this {
    this.#timer ??= setInterval(() => void this.save(), this.#interval).unref()
    return this
  }

  /** One after another; a failure is told in the log, and tried again the next time. */
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
    if (revision === this.#saved) return
    try {
      await saveModelFile(this.#path, model.state())
      this.#saved = revision
    } catch (err) {
      log.error('the data model could not be kept', { path: this.#path, err })
    }
  }
}
