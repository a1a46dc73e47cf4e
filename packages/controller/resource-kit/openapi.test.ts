import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Operation } from '../operation/operation.ts'
import type { TableName } from '../state/row.ts'
import { bodyContract } from './body-contracts.ts'
import { defineFields, flag, integer, oneOf, optionalReference, serverSet, text, uniqueName } from './fields.ts'
import { openApiDocument } from './openapi.ts'
import { Registry } from './registry.ts'
import { defineResource } from './resource.ts'

const fields = defineFields({
  kind: oneOf(['wheel', 'door'], { required: 'always' }),
  name: uniqueName(),
  spokes: integer({ min: 3, max: 40, required: 'on create', onlyFor: ['wheel'] }),
  isLocked: flag({ setBy: 'creator', onlyFor: ['door'] }),
  note: text({ shown: 'when set' }),
  code: text({ shown: 'never', isSecret: true }),
  partOf: optionalReference('parts', { onTargetDeleted: 'unlink', shownAs: 'whole' }),
  uses: serverSet(0),
})

const parts = defineResource({
  collection: 'spare-parts',
  singular: 'part',
  table: 'parts' as TableName,
  permission: 'part',
  fields,
  live: { age: () => 1 },
  sublists: { pieces: { of: 'spare-parts', ids: () => [], operationId: 'listPieces' } },
})

const handle = () => ({ status: 200, body: {} })
const read = { entity: 'part', action: 'read' } as const
const operations: readonly Operation[] = [
  { operationId: 'listParts', method: 'GET', path: '/spare-parts', access: read, handle },
  {
    operationId: 'createPart',
    method: 'POST',
    path: '/spare-parts',
    access: { entity: 'part', action: 'create' },
    body: bodyContract('part', fields, 'create'),
    handle,
  },
  { operationId: 'detailPart', method: 'GET', path: '/spare-parts/{id}', access: read, handle },
  {
    operationId: 'listPieces',
    method: 'GET',
    path: '/spare-parts/{id}/pieces',
    access: read,
    parameters: [{ name: 'colour', kind: { oneOf: ['red', 'blue'] } }],
    handle,
  },
  {
    operationId: 'drawPart',
    method: 'GET',
    path: '/spare-parts/{id}/drawings/{page}',
    access: 'session',
    parameters: [{ name: 'scale', kind: 'integer', isRequired: true }],
    produces: ['image/png'],
    handle,
  },
  { operationId: 'countParts', method: 'POST', path: '/count', access: 'admin', status: 202, handle },
  {
    operationId: 'greetAPIUsers',
    method: 'GET',
    path: '/greeting',
    access: 'anyone',
    parameters: [{ name: 'as', kind: 'texts' }],
    handle,
  },
]
const options = { title: 'Parts', address: 'parts.example:1', base: '/v1', registry: new Registry([parts]) }
const document = openApiDocument(options, operations)

describe('the derived OpenAPI document', () => {
  test('says where the API is and how to log in', () => {
    const { swagger, info, host, basePath, securityDefinitions } = document
    assert.deepEqual([swagger, info.title, host, basePath], ['2.0', 'Parts', 'parts.example:1', '/v1'])
    assert.deepEqual(Object.keys(securityDefinitions), ['ztSession'])
  })

  test('tells who may call', () => {
    assert.deepEqual(at('/greeting', 'get').security, [])
    assert.deepEqual(at('/count', 'post').security, [{ ztSession: [] }])
    assert.equal(at('/count', 'post').description, 'For administrators.')
    assert.equal(at('/spare-parts', 'post').description, 'For administrators and holders of part or part.create.')
  })

  test('reads operation ids as sentences', () => assert.equal(at('/greeting', 'get').summary, 'Greet API users'))

  test('describes parameters of the path and of the query', () => {
    assert.deepEqual(at('/spare-parts/{id}/drawings/{page}', 'get').parameters, [
      { name: 'id', in: 'path', required: true, type: 'string' },
      { name: 'page', in: 'path', required: true, type: 'string' },
      { name: 'scale', in: 'query', required: true, type: 'integer' },
    ])
    assert.deepEqual(at('/greeting', 'get').parameters, [
      { name: 'as', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'multi' },
    ])
    const names = at('/spare-parts/{id}/pieces', 'get').parameters!.map(({ name }) => name)
    assert.deepEqual(names, ['id', 'limit', 'offset', 'filter', 'sort', 'colour'])
  })

  test('describes bodies by what their contract takes; what one variant has is not required of all', () => {
    const [body] = at('/spare-parts', 'post').parameters!
    assert.deepEqual(body, { name: 'part', in: 'body', required: true, schema: ref('createPartRequest') })
    const schema = document.definitions['createPartRequest'] as unknown as Schema
    assert.deepEqual(schema.required, ['kind', 'name'])
    assert.deepEqual(schema.properties['spokes'], { type: 'integer', minimum: 3, maximum: 40, 'x-only-for': ['wheel'] })
    assert.equal(schema.properties['uses'], undefined)
  })

  test('describes records by the fields that are shown', () => {
    const schema = document.definitions['sparePartsItem'] as unknown as Schema
    const own = ['kind', 'name', 'spokes', 'isLocked', 'note', 'partOf', 'whole', 'uses', 'age']
    assert.deepEqual(Object.keys(schema.properties), ['id', 'createdAt', 'updatedAt', 'tags', '_links', ...own])
    assert.deepEqual(schema.properties['uses'], { type: 'integer' })
    assert.deepEqual(schema.properties['whole'], ref('entityReference'))
    assert.deepEqual(schema.properties['partOf'], { type: 'string', 'x-nullable': true })
    assert.deepEqual(schema.required.slice(5), ['kind', 'name', 'partOf', 'uses'])
  })

  test('describes answers: lists, records, what was created, what has begun, and what is no JSON', () => {
    const items = { type: 'array', items: ref('sparePartsItem') }
    assert.deepEqual(dataOf('/spare-parts', 'get', '200'), items)
    assert.deepEqual(dataOf('/spare-parts/{id}/pieces', 'get', '200'), items)
    assert.deepEqual(dataOf('/spare-parts/{id}', 'get', '200'), ref('sparePartsItem'))
    assert.deepEqual(at('/spare-parts', 'post').responses['201']!.schema, ref('createdEnvelope'))
    assert.deepEqual(at('/count', 'post').responses['202']!.schema, ref('emptyEnvelope'))
    assert.deepEqual(at('/spare-parts/{id}/drawings/{page}', 'get').produces, ['image/png'])
  })

  test('names the refusals that an operation can answer with', () => {
    assert.deepEqual(Object.keys(at('/spare-parts/{id}', 'get').responses), ['200', '401', '404'])
    assert.deepEqual(Object.keys(at('/spare-parts', 'post').responses), ['201', '400', '401', '429'])
  })
})

interface Schema {
  readonly properties: Readonly<Record<string, unknown>>
  readonly required: readonly string[]
}

function at(path: string, method: string) {
  return document.paths[path]![method]!
}

function dataOf(path: string, method: string, status: string): unknown {
  return (at(path, method).responses[status]!.schema as unknown as Schema).properties['data']
}

function ref(name: string) {
  return { $ref: `#/definitions/${name}` }
}
