import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { builtInPostureCheckTypes } from './posture-check-types.ts'

test('are those a stock controller lists, in its order', () => {
  const recorded = readFileSync(new URL('../../testdata/posture-check-types.json', import.meta.url), 'utf8')
  assert.deepEqual(builtInPostureCheckTypes, JSON.parse(recorded))
})
