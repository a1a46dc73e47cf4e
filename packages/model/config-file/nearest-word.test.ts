import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestWord } from './nearest-word.ts'

const words = ['sessionTimeout', 'address', 'activityUpdateInterval', 'api', 'db', 'ca']

test('finds what was probably meant', () => {
  const cases: [string, string | undefined][] = [
    ['sesionTimeout', 'sessionTimeout'],
    ['sessiontimeout', 'sessionTimeout'],
    ['sessionTimeuot', 'sessionTimeout'],
    ['adress', 'address'],
    ['ap', 'api'],
    ['bd', 'db'],
    ['completelyElse', undefined],
    ['x', undefined],
    ['', undefined],
    ['a'.repeat(65), undefined],
  ]
  for (const [misspelt, meant] of cases) assert.equal(nearestWord(misspelt, words), meant, misspelt)
})
