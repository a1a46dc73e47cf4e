import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Row, TableName } from '../state/row.ts'
import { flag, reference, references, restricted, roleAttributes, roles, text, uniqueName } from './fields.ts'
import { Registry } from './registry.ts'
import type { Resource } from './resource.ts'

/** A declaration with little in it. */
function resource(collection: string, declaration: Partial<Resource> = {}): Resource {
  const table = collection as TableName
  return { collection, singular: collection.slice(0, -1), table, permission: collection, fields: {}, ...declaration }
}

const name = uniqueName() as Resource['fields'][string]

describe('a registry refuses', () => {
  const cases: readonly [what: string, resources: readonly Resource[], message: RegExp][] = [
    [
      'two collections of one name',
      [resource('things'), resource('things', { table: 'others' as TableName })],
      /two collections things/,
    ],
    [
      'a reference to a table that is not there',
      [resource('things', { fields: { otherId: reference('others', { onTargetDeleted: 'cascade' }) as never } })],
      /no table others/,
    ],
    [
      'roles over a table that is not there',
      [resource('things', { fields: { roles: roles('others') as never } })],
      /no table others/,
    ],
    [
      'a reference shown as a collection that is not there',
      [
        resource('things', {
          fields: { thingId: reference('things', { onTargetDeleted: 'cascade', collection: 'others' }) as never },
        }),
      ],
      /no collection others/,
    ],
    [
      'a list below an entity of a collection that is not there',
      [resource('things', { sublists: { others: { of: 'others', ids: () => [], operationId: 'x' } } })],
      /no collection others/,
    ],
    [
      'resources that share a table and declare a field differently',
      [
        resource('things', { fields: { name } }),
        resource('others', { table: 'things' as TableName, fields: { name: uniqueName() as never } }),
      ],
      /others declares things\.name differently/,
    ],
  ]
  for (const [what, resources, message] of cases) {
    test(what, () => assert.throws(() => new Registry(resources), message))
  }

  test('to answer for what was never declared', () => {
    const registry = new Registry([resource('things')])
    assert.throws(() => registry.resource('others'), /no collection others/)
    assert.throws(() => registry.table('others'), /no table others/)
    assert.deepEqual(registry.referrers('things'), [])
  })
})

describe('resources that share a table', () => {
  const isOn = flag() as Resource['fields'][string]
  const rule = () => {}
  const first = resource('things', { fields: { name, isOn }, rules: [rule] })
  const fields = { name, isOn: restricted(isOn, { setBy: 'server' }) }
  const second = resource('others', { table: 'things' as TableName, fields, rules: [rule, () => {}] })
  const { fields: shared, rules, singular } = new Registry([first, second]).table('things')

  test('have one set of fields, the unrestricted ones', () => {
    assert.equal(shared['isOn'], isOn)
    assert.deepEqual(Object.keys(shared), ['tags', 'name', 'isOn'])
  })

  test('have all their rules, each once, and the first singular', () => {
    assert.equal(rules.length, 2)
    assert.equal(singular, 'thing')
  })
})

test('what a table keeps is gathered: secrets, unique and transient fields, indexes, who refers to it', () => {
  const things = resource('things', {
    fields: {
      name,
      token: text({ isSecret: true, unique: { reason: () => 'taken' } }) as never,
      wish: text({ isTransient: true }) as never,
      friends: references('things', { onTargetDeleted: 'unlink' }) as never,
      roleAttributes: roleAttributes() as never,
      plain: text() as never,
    },
  })
  const registry = new Registry([things])
  const table = registry.table('things')
  assert.deepEqual([table.secrets, table.unique, table.transient], [['token'], ['name', 'token'], ['wish']])
  const { indexes } = registry.specs.get('things')!
  assert.deepEqual(indexes.map((index) => index.name).sort(), ['friends', 'name', 'roleAttributes', 'token'])
  assert.deepEqual(
    registry.referrers('things').map(({ fieldName }) => fieldName),
    ['friends'],
  )
  const row = { id: 'x', token: 'secret', plain: 'p' } as unknown as Row
  assert.deepEqual(registry.withoutSecrets('things', row), { id: 'x', plain: 'p' })
  assert.equal((row as unknown as { token: string }).token, 'secret', 'the row itself is untouched')
})
