/**
 * Reads the keywords of one schema object for the functions that compile them.
 *
 * Keywords are read as own members only, so that neither `__proto__` nor `constructor` in a schema means anything, and
 * every refusal names the schema it stands in.
 */
import { isJsonObject, type JsonObject } from './json-value.ts'
import type { Pattern } from './pattern.ts'
import { SchemaError, type SchemaErrorCode } from './schema-error.ts'
import type { SchemaNode } from './schema-node.ts'

/** What the reader needs of the compiler. */
export interface ReaderDeps {
  /** The node of a subschema, compiled later. */
  nodeOf(schema: unknown, path: string): SchemaNode
  /** A pattern within the schema's limits; it may throw. */
  pattern(source: string, path: string, reason: string): Pattern
}

/** The keywords of one schema object, read with checks. */
export class SchemaReader {
  readonly #schema: JsonObject
  readonly #node: SchemaNode
  readonly #deps: ReaderDeps

  constructor(schema: JsonObject, node: SchemaNode, deps: ReaderDeps) {
    this.#schema = schema
    this.#node = node
    this.#deps = deps
  }

  /** Whether the schema has a keyword. */
  has(keyword: string): boolean {
    return Object.hasOwn(this.#schema, keyword)
  }

  /** The raw value of a keyword. */
  get(keyword: string): unknown {
    return this.has(keyword) ? this.#schema[keyword] : undefined
  }

  /** Refuses the schema. */
  refuse(reason: string, code: SchemaErrorCode = 'INVALID_KEYWORD', options?: ErrorOptions): never {
    throw new SchemaError(code, this.#node.path, reason, options)
  }

  /** Adds to what applying the schema costs: keywords that loop over a list of the schema say how long it is. */
  addWeight(steps: number): void {
    this.#node.weight += steps
  }

  /** A keyword that must be a string. */
  string(keyword: string): string | undefined {
    const value = this.get(keyword)
    if (!this.has(keyword) || typeof value === 'string') return value as string | undefined
    this.refuse(`Invalid type. Expected: string, given: ${keyword}`)
  }

  /** A keyword that must be a whole number from 0. */
  count(keyword: string): number | undefined {
    if (!this.has(keyword)) return undefined
    const value = this.get(keyword)
    if (!Number.isSafeInteger(value)) this.refuse(`${keyword} must be of an integer`)
    if ((value as number) < 0) this.refuse(`${keyword} must be greater than or equal to 0`)
    return value as number
  }

  /** A keyword that must be a finite number. */
  number(keyword: string, reason = `${keyword} must be of a number`): number | undefined {
    if (!this.has(keyword)) return undefined
    const value = this.get(keyword)
    if (!Number.isFinite(value)) this.refuse(reason)
    return value as number
  }

  /** A keyword that must be a list. */
  list(keyword: string): readonly unknown[] | undefined {
    if (!this.has(keyword)) return undefined
    const value = this.get(keyword)
    if (!Array.isArray(value)) this.refuse(`${keyword} must be of an array`)
    return value as readonly unknown[]
  }

  /** A keyword that must be an object, as its entries. */
  entries(keyword: string, reason: string): (readonly [string, unknown])[] {
    if (!this.has(keyword)) return []
    const value = this.get(keyword)
    if (!isJsonObject(value)) this.refuse(reason)
    return Object.entries(value as JsonObject)
  }

  /** A keyword that must be a schema. */
  schema(keyword: string, reason?: string): SchemaNode | undefined {
    if (!this.has(keyword)) return undefined
    const value = this.get(keyword)
    if (reason !== undefined && typeof value !== 'boolean' && !isJsonObject(value)) this.refuse(reason)
    return this.subschema(value, keyword)
  }

  /** A keyword that must be a list of schemas. */
  schemas(keyword: string): readonly SchemaNode[] {
    return (this.list(keyword) ?? []).map((schema, index) => this.subschema(schema, keyword, String(index)))
  }

  /** The node of a subschema, found by these steps from here. */
  subschema(schema: unknown, ...steps: string[]): SchemaNode {
    const path = [this.#node.path, ...steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')
    return this.#deps.nodeOf(schema, path)
  }

  /** Notes subschemas that judge the same value as this schema: a cycle of these would never end. */
  onSameValue(nodes: readonly SchemaNode[]): void {
    this.#node.sameValue.push(...nodes)
    this.addWeight(nodes.length)
  }

  /** A compiled pattern; `reason` is given when it is not a regular expression. */
  pattern(source: string, reason: string): Pattern {
    return this.#deps.pattern(source, this.#node.path, reason)
  }
}
