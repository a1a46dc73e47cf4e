import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../operation/api-error.ts'
import type { QueryParameter } from '../../operation/operation.ts'
import { checkParameters } from './query-parameters.ts'

const parameters: QueryParameter[] = [
  { name: 'limit', kind: 'integer' },
  { name: 'withIds', kind: 'boolean' },
  { name: 'method', kind: { oneOf: ['password', 'cert', 'ext-jwt'] }, isRequired: true },
]

const accepted = [
  'method=cert',
  'method=cert&limit=',
  'method=cert&limit=-2',
  'method=cert&limit=%2B5',
  'method=cert&limit=9223372036854775807',
  'method=cert&limit=-9223372036854775808',
  'method=cert&withIds=maybe',
  'method=cert&nosuch=1',
]

for (const search of accepted) {
  test(`${search} is accepted`, () =>
    assert.doesNotThrow(() => checkParameters(parameters, new URLSearchParams(search))))
}

const refused: [string, string, string][] = [
  ['', 'method', 'method in query is required'],
  ['method=', 'method', 'method in query is required'],
  ['method=bogus', 'method', 'method in query should be one of [password cert ext-jwt]'],
  ['method=Cert', 'method', 'method in query should be one of [password cert ext-jwt]'],
  ['method=cert&limit=abc', 'limit', 'limit in query must be of type int64: "abc"'],
  ['method=cert&limit=1.5', 'limit', 'limit in query must be of type int64: "1.5"'],
  ['method=cert&limit=99999999999999999999', 'limit', 'limit in query must be of type int64: "99999999999999999999"'],
  ['method=cert&limit=9223372036854775808', 'limit', 'limit in query must be of type int64: "9223372036854775808"'],
  ['method=cert&limit=-', 'limit', 'limit in query must be of type int64: "-"'],
  ['method=cert&limit=1&limit=x', 'limit', 'limit in query must be of type int64: "x"'],
]

for (const [search, field, reason] of refused) {
  test(`${JSON.stringify(search)} is refused`, () => {
    assert.throws(
      () => checkParameters(parameters, new URLSearchParams(search)),
      (error) => {
        assert.ok(error instanceof ApiError)
        assert.equal(error.code, 'COULD_NOT_VALIDATE')
        assert.equal(error.status, 400)
        const detail = error.detail as { field: string; reason: string }
        assert.deepEqual([detail.field, detail.reason], [field, reason])
        return true
      },
    )
  })
}
