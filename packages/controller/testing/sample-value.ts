/**
 * Values made from the JSON schemas of declarations.
 *
 * They differ from defaults (true, seven, the last of several choices) and are already in the form in which they are kept
 * (lower case, one element per list), so that what was sent can be compared with what is read back.
 */
import type { JsonSchema } from '../resource-kit/shapes.ts'

/** A text that no other call has given. */
export type FreshText = (about: string) => string

const formats: Readonly<Record<string, string>> = {
  'date-time': '2100-01-02T03:04:05.678Z',
  byte: 'c2FtcGxl',
  uri: 'https://sample.example/path',
}

export function sampleValue(schema: JsonSchema, about: string, fresh: FreshText): unknown {
  const choices = schema['enum'] as readonly unknown[] | undefined
  if (choices !== undefined) return choices.at(-1)
  switch (schema['type']) {
    case 'string':
      return formats[String(schema['format'])] ?? fresh(about)
    case 'integer':
      return Math.min(Math.max(7, numberOf(schema, 'minimum', 7)), numberOf(schema, 'maximum', 7))
    case 'boolean':
      return true
    case 'array':
      return [sampleValue(schema['items'] as JsonSchema, about, fresh)]
    default:
      return sampleObject(schema, about, fresh)
  }
}

function sampleObject(schema: JsonSchema, about: string, fresh: FreshText): Record<string, unknown> {
  const properties = propertiesOf(schema)
  if (properties.length > 0) {
    return Object.fromEntries(properties.map(([name, member]) => [name, sampleValue(member, name, fresh)]))
  }
  const element = schema['additionalProperties']
  const isTyped = typeof element === 'object' && element !== null
  return { [fresh(about)]: isTyped ? sampleValue(element as JsonSchema, about, fresh) : 'sample' }
}

export function propertiesOf(schema: JsonSchema | undefined): readonly [string, JsonSchema][] {
  return Object.entries((schema?.['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)
}

export function requiredOf(schema: JsonSchema | undefined): readonly string[] {
  return (schema?.['required'] ?? []) as readonly string[]
}

function numberOf(schema: JsonSchema, key: string, otherwise: number): number {
  return typeof schema[key] === 'number' ? schema[key] : otherwise
}
