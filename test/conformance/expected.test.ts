import assert from 'node:assert/strict'
import { test } from 'node:test'
import { best, countPasses, type Expected, findShortfalls, raise } from './expected.ts'

const expected: Expected = {
  tolerance: 5,
  passes: { 'management/services': 10, 'management/configs': 4 },
}

test('an exchange passes when it is as recorded or better', () => {
  const report = {
    files: {
      'management/services': { counts: { same: 8, better: 1, differ: 3, skipped: 2 } },
      'management/configs': { counts: { differ: 3 } },
    },
  }
  assert.deepEqual(countPasses(report), { 'management/services': 9, 'management/configs': 0 })
})

test('a file with fewer passes than before is a shortfall', () => {
  const passes = { 'management/services': 9, 'management/configs': 5, 'management/new': 0 }
  assert.deepEqual(findShortfalls(expected, passes), [{ file: 'management/services', passed: 9, wanted: 10 }])
})

test('a file that was not run is no shortfall', () => {
  assert.deepEqual(findShortfalls(expected, { 'management/configs': 4 }), [])
})

test('the better of two runs counts', () => {
  assert.deepEqual(best({ a: 3, b: 5 }, { a: 4, b: 2 }), { a: 4, b: 5 })
})

test('numbers rise and never sink, in the order of names', () => {
  const raised = raise(expected, {
    'management/services': 12,
    'management/configs': 1,
    'management/cas': 7,
  })
  assert.deepEqual(Object.entries(raised.passes), [
    ['management/cas', 7],
    ['management/configs', 4],
    ['management/services', 12],
  ])
})
