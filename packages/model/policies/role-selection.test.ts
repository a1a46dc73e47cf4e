import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Candidates,
  everything,
  type Semantic,
  selected,
  selectedByAny,
  selects,
  termsOf,
} from './role-selection.ts'

const attributes = ['a', 'b', 'c', 'd', 'all']
const semantics: readonly Semantic[] = ['AllOf', 'AnyOf']

/** Every entity with some of the attributes, and one whose id looks like an attribute. */
const entities: ReadonlyMap<string, readonly string[]> = new Map([
  ...subsets(attributes).map((held, at) => [`id${at}`, held] as const),
  ['a', []],
])

/** Role lists: every choice of attributes with every choice of a few ids, known and unknown, and everything. */
const roleLists: readonly (readonly string[])[] = [
  ['#all'],
  ...subsets(['#a', '#b', '#c', '#d', '@id0', '@id7', '@a', '@gone']),
]

/** How many have an attribute is told too high on purpose: an upper bound must be good enough. */
const candidates: Candidates = {
  all: () => entities.keys(),
  has: (id) => entities.has(id),
  withAttribute: (attribute) => holdersOf(attribute),
  countWithAttribute: (attribute) => holdersOf(attribute).length + (attribute.charCodeAt(0) % 7),
  attributesOf: (id) => entities.get(id) ?? [],
}

describe('role lists', () => {
  for (const semantic of semantics) {
    test(`select by ${semantic} what their words say`, () => {
      for (const roles of roleLists) {
        for (const [id, held] of entities) {
          assert.equal(selects(roles, semantic, id, held), isNamed(roles, semantic, id, held), `${roles} ${id}`)
        }
      }
    })

    test(`list by ${semantic} exactly what they select, each once`, () => {
      for (const roles of roleLists) {
        const listed = [...selected(roles, semantic, candidates)]
        const expected = [...entities].filter(([id, held]) => isNamed(roles, semantic, id, held)).map(([id]) => id)
        assert.deepEqual(listed.toSorted(), expected.toSorted(), `${roles}`)
      }
    })
  }

  test('select nothing when they are empty', () => {
    for (const semantic of semantics) {
      assert.equal(selects([], semantic, 'id0', attributes), false)
      assert.deepEqual([...selected([], semantic, candidates)], [])
    }
  })

  test('an entity stands under a term of every list that can select it', () => {
    for (const semantic of semantics) {
      for (const roles of roleLists) {
        for (const [id, held] of entities) {
          const terms = new Set(termsOf(id, held))
          if (selects(roles, semantic, id, held))
            assert.ok(
              roles.some((role) => terms.has(role)),
              `${roles} ${id}`,
            )
        }
      }
    }
    assert.ok([...termsOf('x', [])].includes(everything))
  })

  test('several lists select what any of them does', () => {
    for (let at = 0; at < roleLists.length; at += 3) {
      const lists = roleLists
        .slice(at, at + 4)
        .map((roles, index) => ({ roles, semantic: semantics[(at + index) % 2]! }))
      const isSelected = (id: string, held: readonly string[]) =>
        lists.some(({ roles, semantic }) => isNamed(roles, semantic, id, held))
      const expected = [...entities].filter(([id, held]) => isSelected(id, held)).map(([id]) => id)
      assert.deepEqual([...selectedByAny(lists, candidates)].sort(), expected.toSorted(), JSON.stringify(lists))
    }
    assert.equal(selectedByAny([], candidates).size, 0)
  })

  test('several lists that say the same are looked up once', () => {
    let lookups = 0
    const watched: Candidates = {
      ...candidates,
      all() {
        lookups++
        return candidates.all()
      },
      withAttribute(attribute) {
        lookups++
        return candidates.withAttribute(attribute)
      },
    }
    for (const roles of [['#a'], ['#all'], ['#a', '#b']]) {
      for (const semantic of semantics) {
        lookups = 0
        selectedByAny(
          Array.from({ length: 1_000 }, () => ({ roles, semantic })),
          watched,
        )
        assert.ok(lookups <= roles.length, `${lookups} for ${roles}`)
      }
    }
  })

  test('lists whose roles only look alike when written in a row are told apart', () => {
    const odd: Candidates = { ...candidates, withAttribute: (attribute) => (attribute === 'a\n#b' ? ['odd'] : []) }
    const held = { ...odd, attributesOf: () => ['a\n#b', 'c'] }
    const lists = [
      ['#a', '#b', '#c'],
      ['#a\n#b', '#c'],
    ].map((roles) => ({ roles, semantic: 'AllOf' as const }))
    assert.deepEqual([...selectedByAny(lists, { ...held, countWithAttribute: (name) => name.length })], [])
    const rare = { ...held, countWithAttribute: (name: string) => (name === 'c' ? 9 : 1) }
    assert.deepEqual([...selectedByAny(lists, rare)], ['odd'])
  })

  test('of several attributes that are all needed, only holders of the rarest are looked at', () => {
    const looked: string[] = []
    const many = Array.from({ length: 1_000 }, (_, at) => `many${at}`)
    const watched: Candidates = {
      all: () => assert.fail('everything was listed'),
      has: () => true,
      withAttribute(attribute) {
        looked.push(attribute)
        return attribute === 'rare' ? ['many1', 'many2'] : many
      },
      countWithAttribute: (attribute) => (attribute === 'rare' ? 2 : 1_000),
      attributesOf: (id) => (id === 'many1' ? ['common', 'rare'] : ['rare']),
    }
    assert.deepEqual([...selected(['#common', '#rare'], 'AllOf', watched)], ['many1'])
    assert.deepEqual(looked, ['rare'])
  })
})

/** The rules as the specification words them. */
function isNamed(roles: readonly string[], semantic: Semantic, id: string, held: readonly string[]): boolean {
  if (roles.includes('#all') || roles.includes(`@${id}`)) return true
  const wanted = roles.filter((role) => role.startsWith('#')).map((role) => role.slice(1))
  if (wanted.length === 0) return false
  return semantic === 'AllOf'
    ? wanted.every((attribute) => held.includes(attribute))
    : wanted.some((attribute) => held.includes(attribute))
}

function holdersOf(attribute: string): readonly string[] {
  return [...entities].filter(([, held]) => held.includes(attribute)).map(([id]) => id)
}

function subsets<T>(list: readonly T[]): T[][] {
  return Array.from({ length: 2 ** list.length }, (_, bits) => list.filter((_item, at) => (bits >> at) & 1))
}
