import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textLine } from './text-line.ts'

const time = '2026-08-01T00:00:00.000Z'

test('shows time, level, component, message and fields on one line', () => {
  const line = textLine({ level: 'info', time, component: 'writer', requestId: 'r1', count: 3, msg: 'batch written' })
  assert.equal(line, '2026-08-01T00:00:00.000Z INFO  writer: batch written requestId=r1 count=3\n')
})

test('quotes values that would be ambiguous', () => {
  const line = textLine({
    level: 'warn',
    time,
    msg: 'm',
    a: 'x y',
    b: '',
    c: 'q"',
    d: 'k=v',
    e: { f: 'g h' },
    h: 'p\\q',
  })
  assert.equal(line, `${time} WARN  m a="x y" b="" c="q\\"" d="k=v" e={"f":"g h"} h="p\\\\q"\n`)
})

test('no value can break the line or drive the terminal', () => {
  const nasty = 'a\n2026 ERROR forged\r\u001b[2J\u2028b\u009b\u202e'
  const line = textLine({ level: 'info', time, component: nasty, msg: nasty, [nasty]: nasty })
  assert.equal(line.indexOf('\n'), line.length - 1)
  assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\u2028\u202e]/u)
})

test('shows a stack below its line, indented', () => {
  const err = { type: 'Error', message: 'boom', stack: 'Error: boom\n    at x' }
  const line = textLine({ level: 'error', time, err, msg: 'failed' })
  assert.equal(line, `${time} ERROR failed err=boom\n    Error: boom\n        at x\n`)
})

test('fields that only look like an error are shown as they are', () => {
  assert.equal(textLine({ level: 'info', time, msg: 'm', err: { stack: 5 } }), `${time} INFO  m err={"stack":5}\n`)
})
