/**
 * Whatever is sent as a filter is a query or a refusal, soon. Runs about two seconds; WEFT_FUZZ_ROUNDS=n makes n times
 * as many attempts, and a failure names its seed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileQuery } from './compile.ts'
import { FilterError } from './filter-error.ts'
import { effectivePaging } from './paging.ts'
import { type Directory, type Service, service, serviceTable } from './sample-services.ts'
import { select } from './select.ts'
import { parseSort } from './sort.ts'

const rounds = Number(process.env['WEFT_FUZZ_ROUNDS'] ?? 1)
const attempts = 12_000 * rounds
/** Generous, because other processes share the machine; a filter takes microseconds. */
const patience = 1000

const fragments = [
  ' ',
  '  ',
  '\n',
  '\t',
  '(',
  ')',
  '[',
  ']',
  ',',
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'and',
  'or',
  'not',
  'in',
  'not in',
  'between',
  'not  between',
  'contains',
  'icontains',
  'not contains',
  'true',
  'FALSE',
  'null',
  'anyOf(',
  'allOf(',
  'count(',
  'isEmpty(',
  'from',
  'where',
  'sort',
  'by',
  'asc',
  'desc',
  'skip',
  'limit',
  'none',
  'name',
  'cost',
  'ratio',
  'isSystem',
  'createdAt',
  'roleAttributes',
  'configs',
  'tags.n',
  'tags.a-b',
  'tags',
  'id',
  'nosuch',
  'constructor',
  "'name'",
  "'",
  '"',
  '"x"',
  '"\\n"',
  '"\\\\"',
  '\\',
  '0',
  '1',
  '-5',
  '1.5',
  '1e999',
  '9223372036854775808',
  '-',
  '.',
  '!',
  '$',
  'é',
  '😀',
  '\ud800',
  '\0',
  'datetime(2020-01-02T03:04:05Z)',
  'datetime(2020-02-30T03:04:60Z)',
  'datetime(',
  '2020-01-02T03:04:05Z',
  '0000000000',
  'aaaaaaaaaaaaaaaa',
  '((((((((',
  'not not not',
]

const seeds = [
  'name = "a" and anyOf(roleAttributes) = "b" or anyOf(roleAttributes) in ["c", "d"]',
  'not isEmpty(from configs where name icontains "x" sort by name skip 1 limit 2) and count(configs) > 1',
  'createdAt between datetime(2020-01-02T03:04:05Z) and datetime(2021-01-02T03:04:05.5+01:00) sort by name desc, id',
  '(tags.n >= 5 and tags.n not between 1 and 2) or cost in [1, 2.5, -3e2] skip 3 limit none',
  'isSystem = false and ratio != null and cost not contains 5 and not allOf(roleAttributes) not in ["x"]',
]

class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!
  }
}

function soup(chance: Chance): string {
  return Array.from({ length: chance.below(40) }, () => chance.pick(fragments)).join(chance.pick(['', ' ']))
}

/** A filter with other operators and values of the same kinds, and every other time with a few edits. */
function mutant(chance: Chance): string {
  let text = chance
    .pick(seeds)
    .replace(/\b(and|or)\b/g, (word) => (word === 'and' && chance.below(3) === 0 ? 'or' : word))
    .replace(/ (=|!=|<|<=|>|>=) (?=["0-9])/g, () => ` ${chance.pick(['=', '!=', '<', '<=', '>', '>='])} `)
    .replace(/"[a-z]"/g, () => chance.pick(['"a"', '"n0"', '""', '"\\\\"', '"é😀"', '"\\n"']))
    .replace(/\b[0-9]\b(?![-:.])/g, () => chance.pick(['0', '7', '900', '9007199254740993']))
  for (let edits = chance.below(2) * chance.below(4); edits > 0; edits--) {
    const at = chance.below(text.length + 1)
    const rest = text.slice(at + chance.below(4))
    text = text.slice(0, at) + (chance.below(2) === 0 ? chance.pick(fragments) : text.slice(0, chance.below(20))) + rest
  }
  return text
}

/** Repeats one part until a bound is near or passed. */
function heap(chance: Chance): string {
  return chance
    .pick(fragments)
    .concat(chance.pick(['', ' ']))
    .repeat(chance.below(6000))
    .slice(0, 20_000)
}

const rows = ['a', 'b', 'c'].map((id, at) =>
  service({
    id,
    name: at === 1 ? null : `n${at}`,
    cost: at === 2 ? null : at,
    createdAt: '2020-06-01T00:00:00.000Z',
    roleAttributes: ['b', 'c'].slice(at),
    configs: ['a', 'b', 'gone'],
    tags: { n: at === 0 ? 'text' : at },
  }),
)
const directory: Directory = { configs: new Map(rows.map((row) => [row.id, row])) }
const source = { size: rows.length, all: () => rows, lookup: () => undefined }

/** Compiles and runs a filter; says whether it is one. */
function attempt(text: string): boolean {
  try {
    const query = compileQuery<Service, Directory>(text, serviceTable)
    const { rows: page, totalCount } = select(source, query, effectivePaging(query), directory)
    assert.ok(page.length <= totalCount && totalCount <= rows.length)
    return true
  } catch (error) {
    assert.ok(error instanceof FilterError, `${error}`)
    assert.equal(error.code, 'INVALID_FILTER')
    assert.notEqual(error.message, '')
    return false
  }
}

for (const [name, make] of Object.entries({ soup, mutant, heap })) {
  test(`any ${name} of tokens is a query or a refusal`, () => {
    let queries = 0
    const count = name === 'heap' ? attempts / 8 : attempts
    for (let seed = 1; seed <= count; seed++) {
      const text = make(new Chance(seed))
      const started = performance.now()
      try {
        if (attempt(text)) queries++
      } catch (cause) {
        throw new Error(`seed ${seed}: ${JSON.stringify(text).slice(0, 500)}`, { cause })
      }
      assert.ok(performance.now() - started < patience, `seed ${seed} took ${performance.now() - started} ms`)
    }
    if (name === 'mutant') assert.ok(queries > count / 10, `${queries} of ${count} mutants are queries`)
  })
}

test('any sort parameter is an order or a refusal', () => {
  for (let seed = 1; seed <= attempts / 4; seed++) {
    try {
      assert.ok(parseSort(soup(new Chance(seed)), serviceTable).length > 0)
    } catch (error) {
      assert.ok(error instanceof FilterError, `seed ${seed}: ${error}`)
      assert.equal(error.code, 'INVALID_SORT_IDENTIFIER')
    }
  }
})
