import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPage, referencePages } from './reference-pages.ts'

for (const { path, render } of referencePages) {
  test(`${path} says what the code says (npm run docs writes it)`, () => {
    assert.equal(readPage(path), render())
  })
}
