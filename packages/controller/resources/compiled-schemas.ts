/**
 * Compiled schemas of config types, so that a config is judged without compiling its type's schema again.
 *
 * A row is replaced whenever it changes, so the row itself is the key. The schemas used last are kept; an old one is
 * compiled again when it is needed.
 */
import { type CompiledSchema, compileSchema } from '@weft/model'
import type { ConfigType } from './config-types.ts'

export class CompiledSchemas {
  readonly #compiled = new Map<ConfigType, CompiledSchema>()
  readonly #most: number

  constructor({ most = 100 }: { readonly most?: number } = {}) {
    this.#most = most
  }

  /** The schema of a type, or undefined for a type that takes any object. */
  schemaOf(type: ConfigType): CompiledSchema | undefined {
    if (type.schema === null) return undefined
    const schema = this.#compiled.get(type) ?? compileSchema(type.schema)
    this.#compiled.delete(type)
    for (const oldest of this.#compiled.keys()) {
      if (this.#compiled.size < this.#most) break
      this.#compiled.delete(oldest)
    }
    this.#compiled.set(type, schema)
    return schema
  }
}
