/**
 * The schemas of the served OpenAPI document: what records look like, from the fields of their resource, and the envelopes
 * that all answers share.
 */
import type { Field } from './fields.ts'
import type { Resource } from './resource.ts'
import type { JsonSchema } from './shapes.ts'

const time: JsonSchema = { type: 'string', format: 'date-time' }
const anything: JsonSchema = {}

/** A schema by its name in the document. */
export function definition(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` }
}

/** What every document defines. */
export const sharedDefinitions: Readonly<Record<string, JsonSchema>> = {
  links: { type: 'object', additionalProperties: object({ href: { type: 'string' } }, ['href']) },
  tags: { type: 'object', description: 'Text, numbers, booleans and null under names of your own.' },
  entityReference: object(
    { _links: definition('links'), entity: { type: 'string' }, id: { type: 'string' }, name: { type: 'string' } },
    ['_links', 'entity', 'id'],
  ),
  pagination: object(
    {
      limit: { type: 'integer', format: 'int64' },
      offset: { type: 'integer', format: 'int64' },
      totalCount: { type: 'integer', format: 'int64' },
    },
    ['limit', 'offset', 'totalCount'],
  ),
  listMeta: object(
    { pagination: definition('pagination'), filterableFields: { type: 'array', items: { type: 'string' } } },
    ['pagination'],
  ),
  emptyEnvelope: envelope({ type: 'object' }, { type: 'object' }),
  dataEnvelope: envelope(anything, anything),
  createdEnvelope: envelope(object({ _links: definition('links'), id: { type: 'string' } }, ['_links', 'id']), {
    type: 'object',
  }),
  errorEnvelope: object(
    {
      error: object(
        {
          code: { type: 'string' },
          message: { type: 'string' },
          requestId: { type: 'string' },
          cause: { type: 'object', description: 'The field and the reason, or what lies behind the refusal.' },
        },
        ['code', 'message', 'requestId'],
      ),
      meta: object({ apiVersion: { type: 'string' }, apiEnrollmentVersion: { type: 'string' } }),
    },
    ['error', 'meta'],
  ),
}

/** The envelope of an answer. */
export function envelope(data: JsonSchema, meta: JsonSchema): JsonSchema {
  return object({ data, meta }, ['data', 'meta'])
}

/** A record of a resource, as lists and details show it. */
export function recordSchema(resource: Resource): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    id: { type: 'string' },
    createdAt: time,
    updatedAt: time,
    tags: definition('tags'),
    _links: definition('links'),
  }
  const always = Object.keys(properties)
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.shown === 'never' || field.isTransient) continue
    properties[name] = shownSchema(field)
    if (field.shown !== 'when set' && field.onlyFor === undefined) always.push(name)
    const shownAs = field.refersTo?.shownAs
    if (shownAs !== undefined) properties[shownAs] = definition('entityReference')
  }
  for (const name of Object.keys(resource.live ?? {})) properties[name] ??= anything
  return object(properties, always)
}

function shownSchema(field: Field): JsonSchema {
  const { schema } = field.shape
  const typed = Object.keys(schema).length > 0 ? tidy(schema) : schemaOf(field.default)
  return field.isNullWhenEmpty || field.default === null ? { ...typed, 'x-nullable': true } : typed
}

/** What only the controller writes is known by what it starts from. */
function schemaOf(value: unknown): JsonSchema {
  if (typeof value === 'boolean' || typeof value === 'string') return { type: typeof value }
  if (typeof value === 'number') return { type: 'integer' }
  if (Array.isArray(value)) return { type: 'array', items: anything }
  return value === null ? anything : { type: 'object' }
}

/**
 * The schema as OpenAPI 2 takes it: what only some variants have is never required, and a list of required members is
 * left out when it is empty.
 */
export function tidy(schema: JsonSchema): JsonSchema {
  const { properties, required, items, additionalProperties, ...rest } = schema as Nested
  const isForAll = (name: string) => properties?.[name]?.['x-only-for'] === undefined
  const always = (required ?? []).filter(isForAll)
  return {
    ...rest,
    ...(properties && { properties: mapValues(properties, tidy) }),
    ...(always.length > 0 && { required: always }),
    ...(items && { items: tidy(items) }),
    ...(additionalProperties && {
      additionalProperties: typeof additionalProperties === 'object' ? tidy(additionalProperties) : true,
    }),
  }
}

interface Nested {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
}

function mapValues(schemas: Readonly<Record<string, JsonSchema>>, change: (schema: JsonSchema) => JsonSchema) {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]))
}

function object(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = []): JsonSchema {
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}
