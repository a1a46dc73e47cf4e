import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RE2JS } from 're2js'
import { patternWeight } from './pattern-weight.ts'

test('is never below the size of the compiled program', () => {
  const patterns = [
    'abc',
    'a{7}',
    'a{2,5}',
    'a{3,}',
    'a{0}',
    '(ab){50}',
    '(?:a|b){50}',
    '((a{5}){5}){5}',
    '(a?){40}b*c+',
    '[a-z]{60}',
    '[]a-z]{60}',
    '[^]a-z]{60}',
    '[[:alpha:]\\]]{60}',
    '\\pL{60}',
    '\\p{Greek}{60}',
    '\\x{41}{60}',
    '\\x41{60}',
    '\\Qa{2}\\E{60}',
    '\\Q(\\E(ab){60}',
    '\\({60}',
    '(?i)straße{60}',
    '(a|b|)(c|d){60}|x',
    '^$\\b\\B{60}',
    '.{255}\\.{60}',
  ]
  for (const pattern of patterns) {
    const size = RE2JS.compile(pattern).programSize()
    const weight = patternWeight(pattern)
    assert.ok(weight >= size, `${pattern}: weight ${weight}, program ${size}`)
    assert.ok(weight <= 40 * size + 500 + pattern.length, `${pattern}: weight ${weight} is far above ${size}`)
  }
})

test('is told for any text', () => {
  for (const text of [
    '',
    '\\',
    '[',
    '[^',
    '(',
    ')))',
    '{',
    '{1',
    'a{1000000000}',
    '\\Q',
    '\\p{',
    '[[:',
    '\u{1f600}{3}',
  ]) {
    assert.ok(Number.isFinite(patternWeight(text)), text)
  }
})
