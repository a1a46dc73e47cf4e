/** Where a served OpenAPI document differs from an interface that is copied as data. */
import type { DescribedOperation, OpenApiDocument } from '../resource-kit/openapi.ts'

interface Body {
  readonly name: string
  readonly members: readonly string[]
  readonly required: readonly string[]
}

/** One operation of the interface. */
export interface RecordedOperation {
  readonly method: string
  readonly path: string
  readonly operationId?: string
  readonly query?: readonly string[]
  readonly body?: Body
}

/** What all of our lists take, whether the interface says so of each of them or not. */
const takenByLists = ['filter', 'limit', 'offset', 'sort']

/** The operations of a document, by method and path. */
export function operationsOf(served: OpenApiDocument): ReadonlyMap<string, DescribedOperation> {
  const operations = new Map<string, DescribedOperation>()
  for (const [path, methods] of Object.entries(served.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      operations.set(`${method.toUpperCase()} ${path}`, operation)
    }
  }
  return operations
}

/** `-` is what ours does not have, `+` what it has besides. */
export function differencesOf(served: OpenApiDocument, own: DescribedOperation, wanted: RecordedOperation): string[] {
  const { operationId = own.operationId, query = [], body, method } = wanted
  const parameters = own.parameters ?? []
  const ownQuery = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
  const listed =
    method === 'GET' ? ownQuery.filter((name) => query.includes(name) || !takenByLists.includes(name)) : ownQuery
  const ownBody = bodyOf(served, own)
  return [
    ...setDifferences('operation', [own.operationId], [operationId]),
    ...setDifferences('query', listed, query),
    ...setDifferences('body', ownBody ? [ownBody.name] : [], body ? [body.name] : []),
    ...setDifferences('member', ownBody?.members ?? [], body?.members ?? []),
    ...setDifferences('required', ownBody?.required ?? [], body?.required ?? []),
  ]
}

function bodyOf(served: OpenApiDocument, { parameters = [] }: DescribedOperation): Body | undefined {
  const body = parameters.find((one) => one.in === 'body')
  if (body === undefined) return undefined
  const reference = body.schema?.['$ref'] as string | undefined
  const schema = reference === undefined ? body.schema! : served.definitions[reference.slice('#/definitions/'.length)]!
  const members = Object.keys((schema['properties'] ?? {}) as object)
  return { name: body.name, members, required: (schema['required'] ?? []) as string[] }
}

function setDifferences(what: string, own: readonly string[], wanted: readonly string[]): string[] {
  const lacking = wanted.filter((name) => !own.includes(name)).sort()
  const besides = own.filter((name) => !wanted.includes(name)).sort()
  return [...lacking.map((name) => `-${what} ${name}`), ...besides.map((name) => `+${what} ${name}`)]
}
