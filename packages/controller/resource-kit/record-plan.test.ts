import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Row, TableName } from '../state/row.ts'
import { Tables } from '../state/tables.ts'
import {
  defineFields,
  flag,
  integer,
  json,
  oneOf,
  optionalReference,
  optionalText,
  roleAttributes,
  text,
} from './fields.ts'
import { Registry } from './registry.ts'
import { Renderer } from './render.ts'
import { defineResource, type Rendering } from './resource.ts'

const parts = 'parts' as TableName

const fields = defineFields({
  kind: oneOf(['wheel', 'door'], { required: 'always' }),
  name: text(),
  spokes: integer({ onlyFor: ['wheel'] }),
  isLocked: flag({ onlyFor: ['door'] }),
  note: text({ shown: 'when set' }),
  code: text({ shown: 'never' }),
  said: text({ isTransient: true }),
  attributes: roleAttributes({ isNullWhenEmpty: true }),
  data: json(),
  state: optionalText(),
  partOf: optionalReference('parts', { onTargetDeleted: 'unlink', shownAs: 'whole' }),
})

const resource = defineResource({
  collection: 'parts',
  singular: 'part',
  table: parts,
  permission: 'part',
  fields,
  links: ({ kind }) => ({ 'its "kind"': `./kinds/${kind}` }),
  sublists: {
    'small-parts': { of: 'parts', ids: () => [], operationId: 'a', isLinked: true },
    screws: { of: 'parts', ids: () => [], operationId: 'b', isLinked: true },
    unlinked: { of: 'parts', ids: () => [], operationId: 'c' },
  },
  live: {
    state: ({ state }) => (state === 'as stored' ? undefined : `live ${state}`),
    precise: () => JSON.rawJSON('12345678901234567890'),
    place: (_row, { place }) => place,
    absent: () => undefined,
  },
})

const registry = new Registry([resource])
const renderer = new Renderer(registry)
const tables = new Tables(registry.specs.values())
const rendering = { view: tables, place: 'list' } as unknown as Rendering

let made = 0
function put(values: Readonly<Record<string, unknown>>): Row {
  const id = `p${made++}`
  const defaults = { kind: 'wheel', name: id, spokes: 0, isLocked: false, note: '', code: 'secret', attributes: [] }
  const base = { createdAt: 'then', updatedAt: 'now', tags: {}, isSystem: false }
  const row = { id, ...base, ...defaults, data: {}, state: null, partOf: null, ...values } as unknown as Row
  tables.apply([{ table: parts, id: row.id, before: undefined, after: row }])
  return row
}

function shown(row: Row): Record<string, unknown> {
  const read = JSON.parse(renderer.text(resource, row, rendering)) as Record<string, unknown>
  assert.deepEqual(read, JSON.parse(JSON.stringify(renderer.record(resource, row, rendering))))
  return read
}

describe('a record', () => {
  const cases: Readonly<Record<string, readonly [values: Readonly<Record<string, unknown>>, record: object]>> = {
    'has the members of its variant': [
      { kind: 'door', isLocked: true },
      { isLocked: true, spokes: undefined },
    ],
    'leaves out what is not set': [{ note: '' }, { note: undefined }],
    'shows what is set': [{ note: 'x "y"\n' }, { note: 'x "y"\n' }],
    'never shows what is only kept': [
      { code: 'secret', said: 'something' },
      { code: undefined, said: undefined },
    ],
    'shows an empty list as null where it is declared so': [{ attributes: [] }, { attributes: null }],
    'shows a full list': [{ attributes: ['a', 'ü'] }, { attributes: ['a', 'ü'] }],
    'shows objects': [
      { data: { a: [1, {}] }, tags: { t: true } },
      { data: { a: [1, {}] }, tags: { t: true } },
    ],
    'shows live members': [{ state: 'old' }, { state: 'live old', place: 'list', absent: undefined }],
    'shows the field where its live member says nothing': [{ state: 'as stored' }, { state: 'as stored' }],
    'names nothing where a reference leads nowhere': [{ partOf: 'nowhere' }, { partOf: 'nowhere', whole: undefined }],
  }
  for (const [name, [values, expected]] of Object.entries(cases)) {
    test(name, () => {
      const record = shown(put(values))
      for (const [member, value] of Object.entries(expected)) assert.deepEqual(record[member], value, member)
    })
  }

  test('has its links, whatever characters its id has', () => {
    const { _links } = shown(put({ id: 'a"b\\c' }))
    assert.deepEqual(_links, {
      self: { href: './parts/a"b\\c' },
      'small-parts': { href: './parts/a"b\\c/small-parts' },
      screws: { href: './parts/a"b\\c/screws' },
      'its "kind"': { href: './kinds/wheel' },
    })
  })

  test('keeps numbers that only text can hold', () => {
    assert.match(renderer.text(resource, put({}), rendering), /"precise":12345678901234567890[,}]/)
  })

  test('follows a change of its row and of the row it refers to', () => {
    const whole = put({ name: 'car' })
    const part = put({ partOf: whole.id, name: 'wheel' })
    const nameOfWhole = (row: Row) => (shown(row)['whole'] as { name: string }).name
    assert.equal(nameOfWhole(part), 'car')
    put({ id: whole.id, name: 'truck' })
    assert.equal(nameOfWhole(part), 'truck')
    assert.equal(shown(put({ id: part.id, partOf: whole.id, name: 'steering wheel' }))['name'], 'steering wheel')
  })
})
