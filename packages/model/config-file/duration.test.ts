import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration, parseDuration } from './duration.ts'

test('reads Go durations as milliseconds', () => {
  const cases: [string, number | undefined][] = [
    ['5s', 5_000],
    ['1m30s', 90_000],
    ['180m', 10_800_000],
    ['2160h', 7_776_000_000],
    ['250ms', 250],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1_000],
    ['1.1s', 1_100],
    ['0', 0],
    ['+0', 0],
    ['-5s', -5_000],
    ['100us', 0.1],
    ['100\u00b5s', 0.1],
    ['100\u03bcs', 0.1],
    ['1ns', 0.000001],
    ['1h1h', 7_200_000],
    ['', undefined],
    ['-', undefined],
    ['5', undefined],
    ['5 s', undefined],
    ['5d', undefined],
    ['s', undefined],
    ['.s', undefined],
    ['5s ', undefined],
    ['1e3s', undefined],
    ['3000000h', undefined],
    [`${'1'.repeat(99)}s`, undefined],
    ['1s'.repeat(60), undefined],
  ]
  for (const [text, milliseconds] of cases) assert.equal(parseDuration(text), milliseconds, text)
})

test('writes the shortest usual notation, which reads back', () => {
  const cases: [number, string][] = [
    [0, '0s'],
    [50, '50ms'],
    [0.5, '500us'],
    [0.0001, '100ns'],
    [1_500, '1.5s'],
    [90_000, '1m30s'],
    [5_400_000, '1h30m'],
    [7_776_000_000, '2160h'],
    [-60_000, '-1m'],
  ]
  for (const [milliseconds, text] of cases) {
    assert.equal(formatDuration(milliseconds), text)
    assert.equal(parseDuration(text), milliseconds)
  }
})
