/**
 * The file that keeps the data model, so that a router that starts without a controller serves what it served before:
 * the whole state as controllers send it, compressed. What cannot be read is as if it were not there.
 */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { DataModel, type DataModelOptions, stateOf } from '@weft/model/data-model'
import { writeFileAtomic } from '@weft/pki'
import type { WireLog } from '@weft/wire'
import { dataState } from '@weft/wire/messages'

const compress = promisify(gzip)
const expand = promisify(gunzip)
const mode = 0o600
/** The model of a hundred thousand identities is a tenth of this. */
const maxOutputLength = 1024 * 1024 * 1024

export class ModelFile {
  readonly #path: string
  readonly #log: WireLog

  constructor(path: string, log: WireLog) {
    this.#path = path
    this.#log = log
  }

  async load(options: DataModelOptions): Promise<DataModel | undefined> {
    try {
      const bytes = await expand(await readFile(this.#path), { maxOutputLength })
      return DataModel.of(dataState.decode(bytes), options)
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.#log.warn('the kept data model cannot be read; controllers will send it', { path: this.#path, err })
      }
      return undefined
    }
  }

  /** Rejects when it cannot be written; what was there before is kept then. */
  async save(model: DataModel): Promise<void> {
    await writeFileAtomic(this.#path, await compress(dataState.encode(stateOf(model))), mode)
  }
}
