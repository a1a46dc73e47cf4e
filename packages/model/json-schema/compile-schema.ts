/**
 * JSON Schema (draft-07, with what older drafts spelt differently) for the data of config types.
 *
 * Schemas come from users and run on the event loop, so nothing here trusts them: compiling is bounded by the size of
 * the schema, validating by a budget of steps, patterns by a matcher without backtracking, and no reference leaves the
 * schema. Texts and order of violations are those of the peers, because clients show them.
 */

import { refuseEndlessReferences } from './endless-reference.ts'
import { isJsonObject, type JsonObject, type Kind } from './json-value.ts'
import { keywordTable } from './keyword-table.ts'
import { Pattern } from './pattern.ts'
import { patternWeight } from './pattern-weight.ts'
import { checkSchemaBounds } from './schema-bounds.ts'
import { SchemaError } from './schema-error.ts'
import { schemaLimits } from './schema-limits.ts'
import { type Check, newSchemaNode, type SchemaNode, type Violation } from './schema-node.ts'
import { SchemaReader } from './schema-reader.ts'
import { isEmbeddedResource, resolveReference } from './schema-reference.ts'
import { BudgetExceeded } from './step-budget.ts'
import { ValidationRun } from './validation-run.ts'

/** A schema that is ready to judge documents. */
export interface CompiledSchema {
  /** The first violation of a document, or nothing when it is valid. Takes bounded time for any document. */
  validate(data: unknown): Violation | undefined
}

/** Compiles a schema, or throws {@link SchemaError}. The result keeps no part of the schema that was passed. */
export function compileSchema(schema: unknown): CompiledSchema {
  checkSchemaBounds(schema)
  const root = new SchemaCompiler(schema).compile()
  return {
    validate(data) {
      try {
        return new ValidationRun().apply(root, data)
      } catch (error) {
        if (!(error instanceof BudgetExceeded)) throw error
        return { field: '(root)', message: `(root): ${error.message}`, value: data }
      }
    },
  }
}

const allKinds: readonly Kind[] = ['null', 'boolean', 'number', 'string', 'array', 'object']
const typeNames = ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string']

/** Compiles subschemas from a queue instead of recursively: a chain of references may be as long as the schema. */
class SchemaCompiler {
  readonly #root: unknown
  readonly #nodes = new Map<JsonObject, SchemaNode>()
  readonly #queue: { schema: JsonObject; node: SchemaNode }[] = []
  readonly #references = new Map<SchemaNode, SchemaNode>()
  readonly #embedded = new Set<SchemaNode>()
  readonly #patterns = new Map<string, Pattern>()
  #patternWeight = 0

  constructor(root: unknown) {
    this.#root = root
  }

  compile(): SchemaNode {
    const root = this.#nodeOf(this.#root, '#', false)
    for (const { schema, node } of this.#queue) this.#compileNode(schema, node)
    refuseEndlessReferences(this.#nodes.values())
    this.#linkReferences()
    return root
  }

  #compileNode(schema: JsonObject, node: SchemaNode): void {
    const embedded = this.#embedded.has(node)
    const reader = new SchemaReader(schema, node, {
      nodeOf: (subschema, path) => this.#nodeOf(subschema, path, embedded),
      pattern: (source, path, reason) => this.#pattern(source, path, reason),
    })
    if (node.path === '#' && reader.has('$schema') && typeof reader.get('$schema') !== 'string') {
      reader.refuse('$schema must be of type string')
    }
    reader.string('$id')
    for (const keyword of ['definitions', '$defs']) {
      const definitions = reader.entries(keyword, `Invalid type. Expected: array of schemas, given: ${keyword}`)
      for (const [name, definition] of definitions) reader.subschema(definition, keyword, name)
    }
    reader.string('title')
    reader.string('description')

    const reference = reader.string('$ref')
    if (reference !== undefined) {
      // Keywords beside a reference mean nothing up to draft-07.
      this.#refer(node, reference)
      return
    }
    node.types = readTypes(reader)
    for (const { judges, compile } of keywordTable) {
      const check = compile(reader) as Check | undefined
      if (check === undefined) continue
      node.weight++
      for (const kind of judges === 'everything' ? allKinds : [judges]) node.checks[kind].push(check)
    }
  }

  #refer(node: SchemaNode, reference: string): void {
    if (this.#embedded.has(node)) {
      const reason = `Reference ${reference} stands in a schema with an $id of its own`
      throw new SchemaError('REMOTE_REFERENCE', node.path, reason)
    }
    const found = resolveReference(this.#root, reference, node.path)
    const target = this.#nodeOf(found.schema, found.path, false)
    this.#references.set(node, target)
    node.sameValue.push(target)
  }

  /** Lets every reference lead straight to the end of its chain. */
  #linkReferences(): void {
    for (const start of this.#references.keys()) {
      const chain: SchemaNode[] = []
      let end = start
      for (let next = this.#references.get(end); next !== undefined; next = this.#references.get(end)) {
        chain.push(end)
        end = end.target ?? next
      }
      for (const node of chain) node.target = end
    }
  }

  #nodeOf(schema: unknown, path: string, inEmbedded: boolean): SchemaNode {
    if (typeof schema === 'boolean') return { ...newSchemaNode(path), verdict: schema }
    if (!isJsonObject(schema)) {
      throw new SchemaError('INVALID_KEYWORD', path, 'Expected: valid schema, given: Invalid JSON')
    }
    const known = this.#nodes.get(schema)
    if (known !== undefined) return known
    const node = newSchemaNode(path)
    this.#nodes.set(schema, node)
    this.#queue.push({ schema, node })
    if (inEmbedded || (schema !== this.#root && isEmbeddedResource(schema))) this.#embedded.add(node)
    return node
  }

  #pattern(source: string, path: string, reason: string): Pattern {
    const known = this.#patterns.get(source)
    if (known !== undefined) return known
    if (source.length > schemaLimits.patternLength) {
      const tooLong = `pattern is longer than ${schemaLimits.patternLength} characters`
      throw new SchemaError('INVALID_PATTERN', path, tooLong)
    }
    this.#patternWeight += patternWeight(source)
    if (this.#patternWeight > schemaLimits.patternWeight) {
      throw new SchemaError('INVALID_PATTERN', path, 'patterns of the schema are too large together')
    }
    const pattern = compilePattern(source, path, reason)
    this.#patterns.set(source, pattern)
    return pattern
  }
}

function compilePattern(source: string, path: string, reason: string): Pattern {
  try {
    return new Pattern(source)
  } catch (cause) {
    throw new SchemaError('INVALID_PATTERN', path, reason, { cause })
  }
}

function readTypes(reader: SchemaReader): readonly string[] {
  if (!reader.has('type')) return []
  const value = reader.get('type')
  const names: readonly unknown[] = Array.isArray(value) ? value : [value]
  const types = new Set<string>()
  for (const name of names) {
    if (typeof name !== 'string') reader.refuse('Invalid type. Expected: string/array of strings, given: type')
    const type = name as string
    if (!typeNames.includes(type)) {
      const valid = `Expected valid values are:[${typeNames.join(' ')}]`
      reader.refuse(`has a primitive type that is NOT VALID -- given: /${type}/ ${valid}`)
    }
    if (types.has(type)) reader.refuse(`${type} type is duplicated`)
    types.add(type)
  }
  return [...types]
}
