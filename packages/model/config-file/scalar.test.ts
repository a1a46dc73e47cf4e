import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scalarValue } from './scalar.ts'

function meaning(text: string, isPlain = true): unknown {
  const value = scalarValue({ form: 'scalar', span: { start: 0, end: 0 }, text, isPlain })
  return 'value' in value ? [value.type, value.value] : [value.type]
}

test('means what the peers\u2019 YAML 1.1 parser means', () => {
  const cases: [string, ...unknown[]][] = [
    ['', 'nothing'],
    ['~', 'nothing'],
    ['Null', 'nothing'],
    ['yes', 'flag', true],
    ['Off', 'flag', false],
    ['y', 'flag', true],
    ['N', 'flag', false],
    ['tRue', 'text', 'tRue'],
    ['42', 'integer', 42],
    ['-7', 'integer', -7],
    ['+1_000', 'integer', 1000],
    ['0700', 'integer', 448],
    ['0o17', 'integer', 15],
    ['-0x1F', 'integer', -31],
    ['0b101', 'integer', 5],
    ['0', 'integer', 0],
    ['-0', 'integer', 0],
    ['089', 'number', 89],
    ['1.5', 'number', 1.5],
    ['.5', 'number', 0.5],
    ['1e3', 'number', 1000],
    ['-.inf', 'number', -Infinity],
    ['12:30', 'text', '12:30'],
    ['1.2.3', 'text', '1.2.3'],
    ['5s', 'text', '5s'],
    ['0x', 'text', '0x'],
    ['1280:1280', 'text', '1280:1280'],
  ]
  for (const [text, ...expected] of cases) assert.deepEqual(meaning(text), expected, text)
})

test('what is in quotes is text', () => {
  for (const text of ['', '5', 'yes', 'null']) assert.deepEqual(meaning(text, false), ['text', text])
})
