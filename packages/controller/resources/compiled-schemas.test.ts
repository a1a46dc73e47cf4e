import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CompiledSchemas } from './compiled-schemas.ts'
import type { ConfigType } from './config-types.ts'

function configType(id: string, schema: ConfigType['schema']): ConfigType {
  const times = { createdAt: '2026-05-01T12:00:00.000Z', updatedAt: '2026-05-01T12:00:00.000Z' }
  return { id, name: id, schema, target: 'service', tags: {}, isSystem: false, ...times }
}

describe('compiled schemas', () => {
  test('are compiled once for as long as the row is the same', () => {
    const schemas = new CompiledSchemas()
    const type = configType('a', { type: 'object', required: ['port'] })
    assert.equal(schemas.schemaOf(type), schemas.schemaOf(type))
    assert.notEqual(schemas.schemaOf(type), schemas.schemaOf({ ...type }))
  })

  test('of a type without a schema there are none', () => {
    assert.equal(new CompiledSchemas().schemaOf(configType('a', null)), undefined)
  })

  test('are kept only so many, the ones used last', () => {
    const schemas = new CompiledSchemas({ most: 2 })
    const [a, b, c] = ['a', 'b', 'c'].map((id) => configType(id, { type: 'object' }))
    const [first, second] = [schemas.schemaOf(a!), schemas.schemaOf(b!)]
    assert.equal(schemas.schemaOf(a!), first)
    schemas.schemaOf(c!)
    assert.equal(schemas.schemaOf(a!), first)
    assert.notEqual(schemas.schemaOf(b!), second)
  })
})
