import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SearchPattern, SearchPatternError } from './search-pattern.ts'

test('finds an expression anywhere in a text', () => {
  const cases = [
    ['.*', '', true],
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^(a|c)$', 'c', true],
    ['(?i)ABC', 'xabc', true],
  ] as const
  for (const [source, text, isFound] of cases) assert.equal(new SearchPattern(source).occursIn(text), isFound, source)
})

test('says what is wrong with an expression as the peers do', () => {
  assert.throws(() => new SearchPattern('('), { message: 'error parsing regexp: missing closing ): `(`' })
})

test('refuses an expression that would take too much', () => {
  for (const source of ['a'.repeat(5_000), '(a{100}){100}{100}', '((a{100}){100}){100}']) {
    assert.throws(() => new SearchPattern(source), SearchPatternError)
  }
})
