import type { Kind } from './json-value.ts'
import type { ValidationRun } from './validation-run.ts'

/** What a value does wrong: the first thing found, worded as the peers word it. */
export interface Violation {
  /** The dotted path of the value (`portRanges.0.low`), `(root)` for the document itself. */
  readonly field: string
  /** The field, a colon and the description: `port: Must be less than or equal to 65535`. */
  readonly message: string
  /** The offending value. */
  readonly value: unknown
}

/** One keyword of one schema, ready to judge a value of its kind. */
export type Check<Value = unknown> = (value: Value, run: ValidationRun) => Violation | undefined

/** The checks of a schema by kind of value, in the order in which they report. */
export type ChecksByKind = Record<Kind, Check[]>

/** A compiled schema or subschema. It is filled by the compiler and only read afterwards. */
export interface SchemaNode {
  /** The JSON pointer of the schema in its document. */
  readonly path: string
  /** Set for the schemas `true` and `false`. */
  verdict: boolean | undefined
  /** What a `$ref` finally leads to; such a schema has no checks of its own. */
  target: SchemaNode | undefined
  /** The names of `type`; empty means any. */
  types: readonly string[]
  /** What applying the schema costs before any of its subschemas, in steps. */
  weight: number
  readonly checks: ChecksByKind
  /** Subschemas that are applied to the very value this one is applied to. */
  readonly sameValue: SchemaNode[]
}

/** An empty node for the schema at a path. */
export function newSchemaNode(path: string): SchemaNode {
  return {
    path,
    verdict: undefined,
    target: undefined,
    types: [],
    weight: 1,
    checks: { null: [], boolean: [], number: [], string: [], array: [], object: [] },
    sameValue: [],
  }
}
