import { isJsonObject } from './json-value.ts'
import { SchemaError } from './schema-error.ts'
import { schemaLimits } from './schema-limits.ts'

/** Refuses a schema document that is too long, too deep or of too many values, before anything is built from it. */
export function checkSchemaBounds(schema: unknown): void {
  let values = 0
  let bytes = 0
  const visit = (value: unknown, depth: number): void => {
    if (depth > schemaLimits.depth) refuse(`schema is nested deeper than ${schemaLimits.depth} levels`)
    if (++values > schemaLimits.values) refuse(`schema has more than ${schemaLimits.values} values`)
    if (Array.isArray(value)) {
      bytes += value.length + 1
      for (const item of value) visit(item, depth + 1)
    } else if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        bytes += textBytes(name) + 2
        visit(member, depth + 1)
      }
      bytes += 1
    } else {
      bytes += typeof value === 'string' ? textBytes(value) : String(value).length
    }
    if (bytes > schemaLimits.textBytes) refuse(`schema is larger than ${schemaLimits.textBytes} bytes`)
  }
  visit(schema, 1)
}

function textBytes(text: string): number {
  return Buffer.byteLength(text) + 2
}

function refuse(reason: string): never {
  throw new SchemaError('TOO_LARGE', '#', reason)
}
