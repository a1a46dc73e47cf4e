/**
 * The OpenAPI documents that the controller serves, by the name of their API.
 *
 * Every API serves the documents of all, and each is derived from the operations that are mounted; so they meet here, and
 * are made when somebody first asks.
 */
import { type Clock, timestamp } from '../../clock.ts'
import type { OpenApiDocument } from '../../resource-kit/openapi.ts'
import { yamlText } from './yaml-text.ts'

interface Spec {
  readonly make: () => OpenApiDocument
  document: OpenApiDocument | undefined
  json: string | undefined
  yaml: string | undefined
}

export class ServedSpecs {
  /** When the documents came to be, as far as clients can know. */
  readonly since: string
  readonly #specs = new Map<string, Spec>()

  constructor(clock: Clock) {
    this.since = timestamp(clock.now())
  }

  /** Adds the document of an API; what it is made from must be complete when it is first asked for. */
  add(id: string, make: () => OpenApiDocument): void {
    if (this.#specs.has(id)) throw new Error(`there is a specification ${id} already`)
    this.#specs.set(id, { make, document: undefined, json: undefined, yaml: undefined })
  }

  has(id: string): boolean {
    return this.#specs.has(id)
  }

  document(id: string): OpenApiDocument {
    const spec = this.#spec(id)
    spec.document ??= spec.make()
    return spec.document
  }

  json(id: string): string {
    const spec = this.#spec(id)
    spec.json ??= `${JSON.stringify(this.document(id))}\n`
    return spec.json
  }

  yaml(id: string): string {
    const spec = this.#spec(id)
    spec.yaml ??= yamlText(this.document(id))
    return spec.yaml
  }

  #spec(id: string): Spec {
    const spec = this.#specs.get(id)
    if (spec === undefined) throw new Error(`there is no specification ${id}`)
    return spec
  }
}
