import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { ApiError, fieldError, refusal } from '../operation/api-error.ts'
import { Overlay } from '../state/overlay.ts'
import type { Row, TableName } from '../state/row.ts'
import { Tables } from '../state/tables.ts'
import { Change } from './change.ts'
import {
  isNotEmpty,
  mapByReference,
  optionalReference,
  optionalText,
  reference,
  references,
  roleAttributes,
  roles,
  serverSet,
  text,
  uniqueName,
} from './fields.ts'
import { Registry } from './registry.ts'
import type { Resource } from './resource.ts'
import { integerShape } from './shapes.ts'

type Values = Readonly<Record<string, unknown>>
type Kept = Row & Values

const [owners, pets, toys, clubs] = ['owners', 'pets', 'toys', 'clubs'] as unknown as readonly TableName[]

/** Pets belong to owners and share toys; clubs select owners by roles. */
const declarations: readonly Resource[] = [
  declared(owners!, {
    name: uniqueName(),
    nickname: optionalText({
      normalise: (name) => name?.trim() || null,
      unique: { reason: () => 'nickname is taken' },
    }),
    isHidden: serverSet(false),
    roleAttributes: roleAttributes(),
    wish: optionalText({ isTransient: true }),
    label: serverSet('', { derive: ({ name }) => `owner ${name}` }),
  }),
  declared(pets!, {
    name: text({ holds: isNotEmpty }),
    ownerId: reference('owners', { onTargetDeleted: 'cascade' }),
    guardianId: optionalReference('owners', { onTargetDeleted: 'unlink' }),
    vetId: optionalReference('owners', {
      onTargetDeleted: 'refuse',
      missing: (id) => refusal('NOT_FOUND', `no vet ${id}`),
    }),
    toys: references('toys', { onTargetDeleted: 'unlink' }),
    favourites: mapByReference('toys', integerShape()),
  }),
  declared(toys!, {
    code: text({
      input: 'serial',
      unique: { field: 'serial', reason: (value, table, _row, { id }) => `${value} of ${table} is held by ${id}` },
    }),
  }),
  declared(clubs!, {
    name: uniqueName({ wording: 'index' }),
    ownerRoles: roles('owners', { isSelectable: (row) => !(row as Kept)['isHidden'] }),
  }),
]

const registry = new Registry(declarations)
const followed: string[] = []
let tables: Tables

beforeEach(() => {
  tables = new Tables(registry.specs.values())
  followed.length = 0
  write((change) => {
    for (const id of ['ann', 'bob', 'cleo']) change.create(owners!, { name: id }, { id })
    for (const id of ['ball', 'bone']) change.create(toys!, { code: id }, { id })
  })
})

describe('creating', () => {
  test('fills in what was not said, and freezes the row', () => {
    const row = write((change) => change.create(owners!, { name: 'Dora' }, { id: 'dora' })) as unknown as Kept
    assert.deepEqual(row, {
      id: 'dora',
      createdAt: times.at(-1),
      updatedAt: times.at(-1),
      tags: {},
      isSystem: false,
      name: 'Dora',
      nickname: null,
      isHidden: false,
      roleAttributes: [],
      label: 'owner Dora',
    })
    assert.ok(Object.isFrozen(row))
  })

  test('normalises before it checks and keeps', () => {
    const row = write((change) =>
      change.create(owners!, { name: 'Dora', nickname: '  dodo ', roleAttributes: ['b', 'a', 'b'] }),
    ) as unknown as Kept
    assert.deepEqual([row['nickname'], row['roleAttributes']], ['dodo', ['a', 'b']])
    assertField(() => write((change) => change.create(owners!, { name: 'Eve', nickname: ' dodo' })), 'nickname')
  })

  test('lets rules and followers see what is not kept', () => {
    write((change) => change.create(owners!, { name: 'Dora', wish: 'a pony' }, { id: 'dora' }))
    assert.deepEqual(followed, ['ruled dora a pony', 'followed dora a pony'])
    assert.ok(!('wish' in get(owners!, 'dora')!))
  })

  test('refuses what must hold of a field however it is written', () => {
    assertField(() => write((change) => change.create(pets!, { name: '', ownerId: 'ann' })), 'name')
    assertField(
      () => write((change) => change.create(owners!, { name: 'Dora', roleAttributes: ['#x'] })),
      'roleAttributes',
    )
  })
})

describe('unique values', () => {
  test('are refused to others on create and on update, in the words of the field', () => {
    const taken = () => write((change) => change.create(owners!, { name: 'ann' }))
    assertField(taken, 'name', 'name must be unique', 'ann')
    assertField(() => write((change) => change.update(owners!, 'bob', { name: 'ann' })), 'name')
    const reason = 'ball of toys is held by ball'
    assertField(() => write((change) => change.create(toys!, { code: 'ball' })), 'serial', reason, 'ball')
    assert.equal(get(owners!, 'bob')!['name'], 'bob')
  })

  test('word it as an index does where the field says so', () => {
    write((change) => change.create(clubs!, { name: 'chess' }))
    const reason = "duplicate value 'chess' in unique index on clubs store"
    assertField(() => write((change) => change.create(clubs!, { name: 'chess' })), 'name', reason)
  })

  test('are no matter to the one who holds them', () => {
    write((change) => change.update(owners!, 'ann', { name: 'ann' }))
  })

  test('are free again once given up, also within one change', () => {
    write((change) => {
      change.update(owners!, 'ann', { name: 'anna' })
      change.update(owners!, 'bob', { name: 'ann' })
      change.remove(owners!, 'cleo')
      change.create(owners!, { name: 'cleo' }, { id: 'new' })
    })
    assert.deepEqual([get(owners!, 'bob')!['name'], get(owners!, 'new')!['name']], ['ann', 'cleo'])
  })

  test('are seen within one change before it is written', () => {
    const twice = () =>
      write((change) => {
        change.create(owners!, { name: 'twin' })
        change.create(owners!, { name: 'twin' })
      })
    assertField(twice, 'name')
    assert.equal(tables.countOf(owners!, 'name', 'twin'), 0)
  })

  test('may be absent or empty any number of times', () => {
    write((change) => {
      for (const name of ['x', 'y']) change.create(owners!, { name, nickname: '' })
      for (const id of ['p', 'q']) change.create(toys!, { code: '' }, { id })
    })
  })
})

describe('references', () => {
  const missing: readonly [what: string, values: Values, message: RegExp][] = [
    ['one', { ownerId: 'nobody' }, /^owner with id nobody not found$/],
    ['one that may be absent', { guardianId: 'nobody' }, /^owner with id nobody not found$/],
    ['one with words of its own', { vetId: 'nobody' }, /^no vet nobody$/],
    ['one of a list', { toys: ['ball', 'nothing'] }, /^toys with id nothing not found$/],
    ['a key of a map', { favourites: { nothing: 1 } }, /^toys with id nothing not found$/],
  ]
  for (const [what, values, message] of missing) {
    test(`must lead somewhere: ${what}`, () => {
      const create = () => write((change) => change.create(pets!, { name: 'Rex', ownerId: 'ann', ...values }))
      assert.throws(
        create,
        (error) => error instanceof ApiError && error.code === 'NOT_FOUND' && message.test(told(error)),
      )
      write((change) => change.create(pets!, { name: 'Rex', ownerId: 'ann' }, { id: 'rex' }))
      const update = () => write((change) => change.update(pets!, 'rex', values))
      assert.throws(update, (error) => error instanceof ApiError && message.test(told(error)))
    })
  }

  test('of roles must lead to rows that can be selected; all that do not are named', () => {
    write((change) => change.update(owners!, 'cleo', { isHidden: true }))
    const create = (ownerRoles: readonly string[]) =>
      write((change) => change.create(clubs!, { name: 'x', ownerRoles }))
    assertField(
      () => create(['#anything', '@ann', '@cleo', '@nobody']),
      'ownerRoles',
      'no owners found with the given ids',
      'cleo nobody',
    )
    create(['#anything', '@ann'])
  })

  test('may lead to a row of the same change', () => {
    write((change) => {
      const { id } = change.create(owners!, { name: 'Dora' }) as Row
      change.create(pets!, { name: 'Rex', ownerId: id })
    })
  })
})

describe('removing', () => {
  beforeEach(() => {
    write((change) => {
      const values = {
        name: 'Rex',
        ownerId: 'ann',
        guardianId: 'bob',
        toys: ['ball', 'bone'],
        favourites: { ball: 1, bone: 2 },
      }
      change.create(pets!, values, { id: 'rex' })
      change.create(clubs!, { name: 'chess', ownerRoles: ['#x', '@ann', '@bob'] }, { id: 'chess' })
    })
  })

  test('takes along what hangs on it by cascade, and its name out of role lists', () => {
    write((change) => change.remove(owners!, 'ann'))
    assert.equal(get(pets!, 'rex'), undefined)
    assert.deepEqual(get(clubs!, 'chess')!['ownerRoles'], ['#x', '@bob'])
    assert.deepEqual(followed.slice(-1), ['followed without ann'])
  })

  test('unlinks single references, lists and maps, and moves updatedAt', () => {
    const before = get(pets!, 'rex')!
    write((change) => change.remove(owners!, 'bob'))
    write((change) => change.remove(toys!, 'ball'))
    const { guardianId, toys: left, favourites, updatedAt } = get(pets!, 'rex')!
    assert.deepEqual([guardianId, left, favourites], [null, ['bone'], { bone: 2 }])
    assert.ok(updatedAt > before.updatedAt)
  })

  test('is refused while somebody refers to it so, and nothing changes', () => {
    write((change) => change.update(pets!, 'rex', { vetId: 'cleo' }))
    write((change) => change.create(clubs!, { name: 'go', ownerRoles: ['@cleo'] }, { id: 'go' }))
    assert.throws(() => write((change) => change.remove(owners!, 'cleo')), {
      code: 'CAN_NOT_DELETE_REFERENCED_ENTITY',
      detail: { field: 'vetId', reason: 'entity type owner referenced by pet: [rex]', value: '[rex]' },
    })
    assert.ok(get(owners!, 'cleo'))
    assert.deepEqual(get(clubs!, 'go')!['ownerRoles'], ['@cleo'])
  })

  test('names at most ten of those who refer to it', () => {
    write((change) => {
      for (let at = 0; at < 12; at++) change.create(pets!, { name: 'x', ownerId: 'ann', vetId: 'cleo' })
    })
    assert.throws(
      () => write((change) => change.remove(owners!, 'cleo')),
      (error) => told(error as ApiError).split(' ').length === 10,
    )
  })

  test('what is not there is no error', () => {
    write((change) => change.remove(owners!, 'nobody'))
  })
})

describe('updating', () => {
  test('moves updatedAt every time, whatever the clock says, and never createdAt', () => {
    const at = '2026-01-01T00:00:00.000Z'
    write((change) => change.create(owners!, { name: 'Dora' }, { id: 'dora' }), at)
    for (const now of [at, '2020-01-01T00:00:00.000Z', at]) {
      const before = get(owners!, 'dora')!
      write((change) => change.update(owners!, 'dora', { createdAt: 'forged', updatedAt: 'forged', id: 'forged' }), now)
      const row = get(owners!, 'dora')!
      assert.deepEqual([row.id, row.createdAt], ['dora', at])
      assert.ok(row.updatedAt > before.updatedAt)
    }
  })

  test('of what is not there is not found', () => {
    assert.throws(() => write((change) => change.update(owners!, 'nobody', {})), { code: 'NOT_FOUND' })
  })

  test('keeps what is derived in step', () => {
    write((change) => change.update(owners!, 'ann', { name: 'Anna', label: 'forged' }))
    assert.equal(get(owners!, 'ann')!['label'], 'owner Anna')
  })

  test('runs the rules with the row before and after', () => {
    assertField(() => write((change) => change.update(owners!, 'ann', { name: 'forbidden' })), 'name', 'not that one')
  })
})

const times: string[] = []

/** Runs a mutation on its own; one that throws leaves nothing behind. */
function write<T>(mutate: (change: Change) => T, now = nextTime()): T {
  const draft = new Overlay(tables, registry.specs)
  times.push(now)
  const result = mutate(new Change(draft, now, registry, undefined))
  tables.apply(draft.changesSince(0))
  return result
}

function nextTime(): string {
  return new Date(Date.UTC(2026, 0, 2) + times.length * 1_000).toISOString()
}

function get(table: TableName, id: string): Kept | undefined {
  return tables.get(table, id) as Kept | undefined
}

function declared(table: TableName, fields: Readonly<Record<string, unknown>>): Resource {
  return {
    collection: table,
    singular: table.slice(0, -1),
    table,
    permission: table,
    fields: fields as Resource['fields'],
    rules: [
      (next, before) => {
        const { id, wish, name } = next as Kept
        if (wish) followed.push(`ruled ${id} ${wish}`)
        if (before !== undefined && name === 'forbidden') throw fieldError('name', 'not that one', name)
      },
    ],
    follow: [
      (_change, next, before) => {
        const wish = (next as Kept | undefined)?.['wish']
        if (wish) followed.push(`followed ${next!.id} ${wish}`)
        if (next === undefined) followed.push(`followed without ${before!.id}`)
      },
    ],
  }
}

function assertField(act: () => unknown, field: string, reason?: string, value?: string): void {
  assert.throws(act, (error) => {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.code, 'COULD_NOT_VALIDATE')
    const detail = error.detail as { field: string; reason: string; value: string }
    assert.equal(detail.field, field)
    if (reason !== undefined) assert.equal(detail.reason, reason)
    if (value !== undefined) assert.equal(detail.value, value)
    return true
  })
}

function told({ detail }: ApiError): string {
  const { message = '', value = '' } = detail as { message?: string; value?: string }
  return message || value
}
