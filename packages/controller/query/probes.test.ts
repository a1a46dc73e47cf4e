import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileQuery } from './compile.ts'
import { serviceTable } from './sample-services.ts'

const cases: [filter: string, probes: Record<string, string[]>[]][] = [
  ['true', []],
  ['name = "x"', [{ name: ['x'] }]],
  ['name = 5', [{ name: ['5'] }]],
  ['name != "x"', []],
  ['name > "x"', []],
  ['name = null', []],
  ['name in ["x", "y", "x"]', [{ name: ['x', 'y'] }]],
  ['name not in ["x"]', []],
  ['terminatorStrategy = "x"', []],
  ['anyOf(roleAttributes) = "x"', [{ roleAttributes: ['x'] }]],
  ['anyOf(roleAttributes) in ["x", "y"]', [{ roleAttributes: ['x', 'y'] }]],
  ['anyOf(roleAttributes) != "x"', []],
  ['anyOf(roleAttributes) not in ["x"]', []],
  ['allOf(roleAttributes) = "x"', []],
  ['count(roleAttributes) = 1', []],
  ['not name = "x"', []],
  ['not name = "x" and id = "y"', []],
  ['(not name = "x") and id = "y"', [{ id: ['y'] }]],
  ['name = "x" and cost = 5', [{ name: ['x'] }]],
  ['name = "x" and id = "y" and cost = 5', [{ name: ['x'] }, { id: ['y'] }]],
  ['name = "x" or cost = 5', []],
  ['name = "x" or name = "y" or name in ["x", "z"]', [{ name: ['x', 'y', 'z'] }]],
  ['name = "x" or id = "y"', []],
  ['name = "x" and id = "y" or id = "z"', [{ name: ['x'] }, { id: ['y', 'z'] }]],
  ['cost = 1 or name = "x" and id = "y"', []],
  ['(id = "a" and name in ["x", "y"]) or (name = "z" and cost = 1)', [{ name: ['x', 'y', 'z'] }]],
  ['(name in ["x", "y"] and name = "z") or name = "w"', [{ name: ['z', 'w'] }]],
  ['cost = 1 and (name = "x" or name = "y")', [{ name: ['x', 'y'] }]],
  ['isEmpty(from configs where name = "x")', []],
  ['tags.name = "x"', []],
]

for (const [filter, probes] of cases) {
  test(`${filter} implies ${JSON.stringify(probes)}`, () => {
    const found = compileQuery(filter, serviceTable).probes.map(({ index, keys }) => ({ [index]: [...keys] }))
    assert.deepEqual(found, probes)
  })
}
