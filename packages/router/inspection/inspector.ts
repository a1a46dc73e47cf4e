/**
 * Answers what controllers and operators want to see of a running router. Names are compared without regard to case; one
 * that nobody knows gives no value and is no error.
 */
import type { InspectResponse } from '@weft/wire/messages'

/** Gives what is shown under a name: text, or a value that is shown as JSON. Undefined for nothing. */
export type Inspection = (name: string) => unknown

export interface InspectorOptions {
  /** By name, in lower case. */
  readonly byName: ReadonlyMap<string, Inspection>
  /** By what the name begins with. */
  readonly byPrefix: ReadonlyMap<string, Inspection>
}

const mostNames = 100

export class Inspector {
  readonly #options: InspectorOptions

  constructor(options: InspectorOptions) {
    this.#options = options
  }

  inspect(names: readonly string[]): InspectResponse {
    const errors: string[] = []
    const values: { name: string; value: string }[] = []
    for (const name of distinct(names).slice(0, mostNames)) {
      try {
        const value = this.#find(name.toLowerCase())?.(name)
        if (value !== undefined) values.push({ name, value: typeof value === 'string' ? value : json(value) })
      } catch (error) {
        errors.push(`${name}: ${(error as Error).message}`)
      }
    }
    return { success: errors.length === 0, errors, values }
  }

  #find(name: string): Inspection | undefined {
    const { byName, byPrefix } = this.#options
    return byName.get(name) ?? [...byPrefix].find(([prefix]) => name.startsWith(prefix))?.[1]
  }
}

/** What is asked for twice is answered once: an answer may be large. */
function distinct(names: readonly string[]): readonly string[] {
  const bySpelling = new Map(names.toReversed().map((name) => [name.toLowerCase(), name]))
  return [...bySpelling.values()].reverse()
}

function json(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (each instanceof Map) return Object.fromEntries(each)
    if (each instanceof Set) return [...each]
    return typeof each === 'bigint' ? Number(each) : each
  })
}
