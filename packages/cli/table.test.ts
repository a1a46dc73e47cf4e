import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderTable } from './table.ts'

test('columns are as wide as their widest cell, and no line ends in blanks', () => {
  const rows = [
    ['a', 'much longer', ''],
    ['longest', '', 'z'],
  ]
  assert.equal(
    renderTable(['X', 'Y', 'Z'], rows),
    'X        Y            Z\na        much longer\nlongest               z\n',
  )
  assert.equal(renderTable(['ONE', 'TWO'], []), 'ONE  TWO\n')
})
