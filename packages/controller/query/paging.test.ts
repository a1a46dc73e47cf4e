import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  clausePaging,
  effectivePaging,
  type Paging,
  type PagingClauses,
  type PagingParameters,
  readPagingParameter,
  reportedLimit,
} from './paging.ts'

const effective: [clauses: PagingClauses, parameters: PagingParameters, offset: number, limit: Paging['limit']][] = [
  [{}, {}, 0, 10],
  [{}, { offset: 1 }, 1, 10],
  [{}, { limit: 0 }, 0, 10],
  [{}, { limit: -1 }, 0, 'none'],
  [{}, { limit: -2 }, 0, 10],
  [{}, { limit: 500 }, 0, 500],
  [{}, { limit: 501 }, 0, 500],
  [{}, { limit: 1_000_000_000 }, 0, 500],
  [{}, { offset: -1 }, 0, 10],
  [{}, { offset: 100_000 }, 100_000, 10],
  [{}, { offset: 200_000 }, 100_000, 10],
  [{ limit: 1 }, { limit: 5 }, 0, 1],
  [{ limit: 'none' }, { limit: 5 }, 0, 'none'],
  [{ limit: 0 }, { limit: 5 }, 0, 10],
  [{ limit: 501 }, { limit: 5 }, 0, 500],
  [{ skip: 1 }, { offset: 7, limit: 5 }, 1, 5],
  [{ skip: -1 }, { offset: 7, limit: 2 }, 0, 2],
  [{ skip: 0 }, { offset: 7 }, 0, 10],
  [{ skip: 9e18, limit: 9e18 }, {}, 100_000, 500],
]

for (const [clauses, parameters, offset, limit] of effective) {
  test(`answers ${limit} rows from ${offset} for ${JSON.stringify(clauses)} and ${JSON.stringify(parameters)}`, () => {
    assert.deepEqual(effectivePaging(clauses, parameters), { offset, limit })
  })
}

const clausesOnly: [clauses: PagingClauses, paging: Paging][] = [
  [{}, { offset: 0, limit: 'none' }],
  [
    { skip: 1, limit: 1 },
    { offset: 1, limit: 1 },
  ],
  [{ limit: 'none' }, { offset: 0, limit: 'none' }],
  [
    { skip: -5, limit: -2 },
    { offset: 0, limit: 'none' },
  ],
  [{ limit: 0 }, { offset: 0, limit: 0 }],
  [{ limit: 501 }, { offset: 0, limit: 501 }],
]

for (const [clauses, paging] of clausesOnly) {
  test(`has no default where only ${JSON.stringify(clauses)} counts`, () => {
    assert.deepEqual(clausePaging(clauses), paging)
  })
}

test('reports an unlimited list with the largest integer of 64 bits, exactly', () => {
  assert.equal(String(reportedLimit({ offset: 0, limit: 'none' })), '9223372036854775807')
  assert.equal(reportedLimit({ offset: 0, limit: 10 }), 10)
})

const parameters: [text: string | undefined, value: number | undefined | 'not an integer'][] = [
  [undefined, undefined],
  ['', undefined],
  ['5', 5],
  ['-1', -1],
  ['+7', 7],
  ['0'.repeat(100) + '12', 12],
  ['9223372036854775807', 2 ** 63],
  ['-9223372036854775808', -(2 ** 63)],
  ['9223372036854775808', 'not an integer'],
  ['99999999999999999999', 'not an integer'],
  ['1.5', 'not an integer'],
  ['abc', 'not an integer'],
  [' 1', 'not an integer'],
  ['1_0', 'not an integer'],
]

for (const [text, value] of parameters) {
  test(`reads ${JSON.stringify(text)} as ${value}`, () => assert.equal(readPagingParameter(text), value))
}
