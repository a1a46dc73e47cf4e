/** Whatever stands in the place of a value, the file loads or is refused with places. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError } from '@weft/model/config-file'
import { loadRouterConfig } from './load-router-config.ts'

const text = readFileSync(join(import.meta.dirname, '../../../testdata/router-config/every-key.yml'), 'utf8')
const values = [
  '',
  '~',
  '0',
  '-1',
  '1e999',
  'yes',
  '""',
  '"\\0"',
  '$NONE',
  '[]',
  '[[]]',
  '{}',
  '{ a: { b: [1] } }',
  '*x',
]

test('any value at any key', () => {
  const outcomes = { loaded: 0, refused: 0 }
  // Keys of sections in braces as well as keys with a line of their own; each meets one or two of the values.
  const places = [...text.matchAll(/(?<=[\w]: )(?:"[^"]*"|[^\s,{}[\]]+)(?=,| \}|\n)/g)]
  for (const [turn, { index, 0: written }] of places.entries()) {
    for (const value of values.filter((_value, at) => (at + turn) % 10 === 0)) {
      const changed = text.slice(0, index) + value + text.slice(index + written.length)
      try {
        loadRouterConfig({ fileName: 'router.yml', text: changed }, {}, {})
        outcomes.loaded++
      } catch (error) {
        assert.ok(error instanceof ConfigError, `${written} -> ${value}: ${(error as Error).stack}`)
        assert.match(error.message, /^router\.yml:\d+:\d+ {2}/)
        outcomes.refused++
      }
    }
  }
  assert.ok(outcomes.loaded + outcomes.refused > 40, JSON.stringify(outcomes))
  assert.ok(outcomes.refused > 40, JSON.stringify(outcomes))
})
