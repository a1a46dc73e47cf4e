import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../../operation/api-error.ts'
import { preferredType } from './preferred-type.ts'

const offered = ['text/yaml', 'application/json'] as const

describe('the preferred media type', () => {
  const cases: readonly [accept: string | undefined, chosen: string][] = [
    [undefined, 'text/yaml'],
    ['', 'text/yaml'],
    ['*/*', 'text/yaml'],
    ['application/json', 'application/json'],
    ['Application/JSON; charset=utf-8', 'application/json'],
    ['application/json, text/yaml', 'text/yaml'],
    ['application/json, text/yaml;q=0.5', 'application/json'],
    ['application/*, text/html', 'application/json'],
    ['text/yaml;q=0, */*;q=0.1', 'application/json'],
  ]
  for (const [accept, chosen] of cases) {
    test(`of ${accept ?? 'no Accept at all'} is ${chosen}`, () => assert.equal(preferredType(accept, offered), chosen))
  }

  for (const accept of ['text/html', 'application/json;q=0', 'nonsense', ';;,,']) {
    test(`of ${accept} is none`, () => {
      assert.throws(
        () => preferredType(accept, offered),
        (error) => error instanceof ApiError && error.status === 406,
      )
    })
  }
})
