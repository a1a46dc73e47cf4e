/**
 * The served OpenAPI 2 document, derived from the operations that are mounted and the fields of the resources.
 *
 * Nothing in it is written by hand for one operation: what the document says of paths, parameters, bodies and callers is
 * what the HTTP layer checks, so the two cannot drift apart.
 */
import { type Access, listParameters, type Operation, type QueryParameter } from '../operation/operation.ts'
import { definition, envelope, recordSchema, sharedDefinitions, tidy } from './openapi-schemas.ts'
import type { Registry } from './registry.ts'
import type { Resource } from './resource.ts'
import type { JsonSchema } from './shapes.ts'

/** The version of the interface that is served. */
const interfaceVersion = '0.35.0'

export interface OpenApiDocument {
  readonly basePath: string
  readonly consumes: readonly string[]
  readonly definitions: Readonly<Record<string, JsonSchema>>
  readonly host: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly produces: readonly string[]
  readonly schemes: readonly string[]
  readonly securityDefinitions: Readonly<Record<string, JsonSchema>>
  readonly swagger: '2.0'
}

export interface DescribedOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly DescribedParameter[]
  readonly consumes?: readonly string[]
  readonly produces?: readonly string[]
  readonly responses: Readonly<Record<string, { readonly description: string; readonly schema?: JsonSchema }>>
}

export interface DescribedParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'body'
  readonly required?: boolean
  readonly type?: string
  readonly schema?: JsonSchema
  readonly [fact: string]: unknown
}

export interface OpenApiOptions {
  readonly title: string
  /** Host and port at which clients reach the API. */
  readonly address: string
  readonly base: string
  /** The resources whose collections are among the paths. */
  readonly registry?: Registry
}

export function openApiDocument(options: OpenApiOptions, operations: readonly Operation[]): OpenApiDocument {
  const { title, address, base, registry } = options
  const definitions: Record<string, JsonSchema> = { ...sharedDefinitions }
  const paths: Record<string, Record<string, DescribedOperation>> = {}
  const describer = new Describer(registry, definitions)
  for (const operation of operations) {
    paths[operation.path] ??= {}
    paths[operation.path]![operation.method.toLowerCase()] = describer.describe(operation)
  }
  // In the order of their names, as the peers write them: it is a stable one.
  return {
    basePath: base,
    consumes: ['application/json'],
    definitions,
    host: address,
    info: { title, version: interfaceVersion },
    paths,
    produces: ['application/json'],
    schemes: ['https'],
    securityDefinitions: { ztSession: { type: 'apiKey', in: 'header', name: 'zt-session' } },
    swagger: '2.0',
  }
}

/** What the records of a collection are to an operation. */
interface Shown {
  readonly resource: Resource
  readonly as: 'list' | 'sublist' | 'record'
}

class Describer {
  readonly #registry: Registry | undefined
  readonly #definitions: Record<string, JsonSchema>

  constructor(registry: Registry | undefined, definitions: Record<string, JsonSchema>) {
    this.#registry = registry
    this.#definitions = definitions
  }

  describe(operation: Operation): DescribedOperation {
    const { operationId, access, body, produces } = operation
    const shown = operation.method === 'GET' ? this.#shown(operation.path) : undefined
    const parameters = this.#parameters(operation, shown)
    return {
      operationId,
      summary: inWords(operationId),
      description: whoMayCall(access),
      tags: [this.#tag(operation)],
      security: access === 'anyone' ? [] : [{ ztSession: [] }],
      ...(parameters.length > 0 && { parameters }),
      ...(body?.alsoConsumes && { consumes: ['application/json', ...body.alsoConsumes] }),
      ...(produces && { produces }),
      responses: { ...this.#success(operation, shown), ...refusals(operation) },
    }
  }

  /** Collections, their records, and the lists below them are known by their paths. */
  #shown(path: string): Shown | undefined {
    const [, collection = '', id, sublist, ...more] = path.split('/')
    const resource = this.#registry?.resources.get(collection)
    if (resource === undefined || more.length > 0) return undefined
    if (id === undefined) return { resource, as: 'list' }
    if (id !== '{id}') return undefined
    if (sublist === undefined) return { resource, as: 'record' }
    const listed = resource.sublists?.[sublist]?.of
    return listed === undefined ? undefined : { resource: this.#registry!.resource(listed), as: 'sublist' }
  }

  #parameters({ path, parameters = [], body, operationId }: Operation, shown: Shown | undefined): DescribedParameter[] {
    const query = shown?.as === 'sublist' ? [...listParameters, ...parameters] : parameters
    return [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => pathParameter(name!)),
      ...query.map(queryParameter),
      ...(body ? [this.#body(operationId, body)] : []),
    ]
  }

  #body(operationId: string, body: NonNullable<Operation['body']>): DescribedParameter {
    const { name, isRequired, schema } = body
    const request = `${operationId}Request`
    if (schema !== undefined) this.#definitions[request] = tidy(schema)
    const taken = schema === undefined ? { type: 'object' } : definition(request)
    return { name, in: 'body', ...(isRequired && { required: true }), schema: taken }
  }

  #success(operation: Operation, shown: Shown | undefined): DescribedOperation['responses'] {
    const { method, path, produces, status } = operation
    if (produces !== undefined)
      return { [status ?? 200]: { description: 'As it is, without an envelope.', schema: { type: 'string' } } }
    if (shown !== undefined) return { 200: this.#records(shown) }
    if (method === 'POST' && this.#registry?.resources.has(path.slice(1))) {
      return { 201: { description: 'Created.', schema: definition('createdEnvelope') } }
    }
    const schema = definition(method === 'GET' ? 'dataEnvelope' : 'emptyEnvelope')
    return { [status ?? 200]: { description: status === 202 ? 'Begun.' : 'Done.', schema } }
  }

  #records({ resource, as }: Shown): { readonly description: string; readonly schema: JsonSchema } {
    const name = `${camelCase(resource.collection)}Item`
    this.#definitions[name] ??= recordSchema(resource)
    if (as === 'record') return { description: 'The record.', schema: envelope(definition(name), { type: 'object' }) }
    const list = envelope({ type: 'array', items: definition(name) }, definition('listMeta'))
    return { description: 'The records.', schema: list }
  }

  #tag({ path, method, access }: Operation): string {
    const first = path.split('/')[1] ?? ''
    if (method === 'GET' && access === 'anyone' && !this.#registry?.resources.has(first)) return 'Informational'
    const words = first.replaceAll('-', ' ')
    return words.charAt(0).toUpperCase() + words.slice(1)
  }
}

const meanings: Readonly<Record<string, string>> = {
  limit: 'How many at most; 10 unless said, 500 at most, -1 for all.',
  offset: 'How many to leave out at the beginning.',
  filter: 'A condition, such as name contains "east" and isSystem = false.',
  sort: 'What to sort by, such as name desc, createdAt.',
}

function pathParameter(name: string): DescribedParameter {
  return { name, in: 'path', required: true, type: 'string' }
}

function queryParameter({ name, kind, isRequired }: QueryParameter): DescribedParameter {
  return {
    name,
    in: 'query',
    ...(meanings[name] && { description: meanings[name] }),
    ...(isRequired && { required: true }),
    ...kindSchema(kind),
  }
}

function kindSchema(kind: QueryParameter['kind']): { readonly type: string; readonly [fact: string]: unknown } {
  if (typeof kind === 'object') return { type: 'string', enum: kind.oneOf }
  if (kind === 'texts') return { type: 'array', items: { type: 'string' }, collectionFormat: 'multi' }
  return { type: kind === 'text' ? 'string' : kind }
}

function whoMayCall(access: Access): string {
  if (access === 'anyone') return 'Open to anyone.'
  if (access === 'partial') return 'For any session, also while its second factor is outstanding.'
  if (access === 'session') return 'For any session.'
  if (access === 'admin') return 'For administrators.'
  return `For administrators and holders of ${access.entity} or ${access.entity}.${access.action}.`
}

function refusals({ access, body, parameters, path, method }: Operation): DescribedOperation['responses'] {
  const schema = definition('errorEnvelope')
  const refused: Record<string, { description: string; schema: JsonSchema }> = {}
  if (body !== undefined || parameters !== undefined) {
    refused['400'] = { description: 'The request says something that it may not.', schema }
  }
  if (access !== 'anyone') refused['401'] = { description: 'Nobody is logged in, or not somebody who may.', schema }
  if (path.includes('{')) refused['404'] = { description: 'There is no such thing.', schema }
  if (method !== 'GET') refused['429'] = { description: 'Too many changes at once; try again later.', schema }
  return refused
}

/** `listAPISessions` is read "List API sessions". */
function inWords(operationId: string): string {
  const words = operationId.split(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
  const text = words
    .map((word) => (word.length > 1 && word === word.toUpperCase() ? word : word.toLowerCase()))
    .join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function camelCase(collection: string): string {
  return collection.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}
