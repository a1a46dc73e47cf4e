import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLicenceProblems, isAllowed } from './licences.ts'

const expressions: [expression: string, answer: boolean][] = [
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND ISC', true],
  ['MIT AND GPL-3.0-only', false],
  ['GPL-3.0-only OR AGPL-3.0-only', false],
  ['MIT AND (ISC OR GPL-3.0-only)', false],
  ['SEE LICENSE IN LICENSE.txt', false],
  ['', false],
]

for (const [expression, answer] of expressions) {
  test(`'${expression}' is ${answer ? 'allowed' : 'refused'}`, () => assert.equal(isAllowed(expression), answer))
}

test('offenders are named, those of other platforms too; our own packages are not asked', () => {
  const packages = {
    '': {},
    'packages/cli': {},
    'node_modules/@weft/cli': { link: true, resolved: 'packages/cli' },
    'node_modules/good': { version: '1.0.0', license: 'MIT' },
    'node_modules/bad': { version: '2.0.0', license: 'SSPL-1.0' },
    'node_modules/elsewhere': { version: '3.0.0', optional: true },
  }
  assert.deepEqual(findLicenceProblems('.', { packages }), [
    'node_modules/bad 2.0.0: SSPL-1.0 is not on the list',
    'node_modules/elsewhere 3.0.0: states no licence',
  ])
})
