import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTarget } from './request-handler.ts'

const cases: [string, string, string][] = [
  ['/a/b', '/a/b', ''],
  ['/a?b=c?d', '/a', 'b=c?d'],
  ['/?', '/', ''],
  ['//a', '//a', ''],
  ['*', '*', ''],
  ['https://host:1280/a/b?c', '/a/b', 'c'],
  ['https://host', '/', ''],
  ['https://host?x=/y', '/', 'x=/y'],
]

for (const [url, path, search] of cases) {
  test(`the target ${url}`, () => assert.deepEqual(readTarget(url), { path, search }))
}
