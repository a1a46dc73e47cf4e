import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readInstant } from './instant.ts'

const cases: [text: string, floor: string, isExact: boolean, quoted: string][] = [
  ['2020-01-02T03:04:05Z', '2020-01-02T03:04:05.000Z', true, '2020-01-02 03:04:05 +0000 UTC'],
  ['2020-01-02t03:04:05.5z', '2020-01-02T03:04:05.500Z', true, '2020-01-02 03:04:05.5 +0000 UTC'],
  ['2020-01-02T03:04:05.1239+01:30', '2020-01-02T01:34:05.123Z', false, '2020-01-02 03:04:05.1239 +0130 +0130'],
  ['2020-01-01T00:00:00-00:00', '2020-01-01T00:00:00.000Z', true, '2020-01-01 00:00:00 +0000 UTC'],
  ['2020-12-31T23:30:00-01:00', '2021-01-01T00:30:00.000Z', true, '2020-12-31 23:30:00 -0100 -0100'],
  ['2024-02-29T00:00:00.000000001Z', '2024-02-29T00:00:00.000Z', false, '2024-02-29 00:00:00.000000001 +0000 UTC'],
  ['2024-02-29T00:00:00.0000000001Z', '2024-02-29T00:00:00.000Z', true, '2024-02-29 00:00:00 +0000 UTC'],
  ['0020-01-02T03:04:05Z', '0020-01-02T03:04:05.000Z', true, '0020-01-02 03:04:05 +0000 UTC'],
]

for (const [text, floor, isExact, quoted] of cases) {
  test(`reads ${text}`, () => assert.deepEqual(readInstant(`datetime( ${text}\t)`), { floor, isExact, quoted }))
}

test('orders instants outside the four-digit years', () => {
  assert.ok(readInstant('datetime(9999-12-31T23:59:59-01:00)').floor > '9999-12-31T23:59:59.999Z')
  assert.ok(readInstant('datetime(0000-01-01T00:00:00+01:00)').floor < '0000-01-01T00:00:00.000Z')
})

const layout = '2006-01-02T15:04:05Z07:00'
const refused: [text: string, reason: string][] = [
  ['2020-02-30T00:00:00Z', ': day out of range'],
  ['2023-02-29T00:00:00Z', ': day out of range'],
  ['2020-01-02T03:04:60Z', ': second out of range'],
  ['202-01-02T03:04:05Z', ` as "${layout}": cannot parse "202-01-02T03:04:05Z" as "2006"`],
  ['20200-01-02T03:04:05Z', ` as "${layout}": cannot parse "0-01-02T03:04:05Z" as "-"`],
]

for (const [text, reason] of refused) {
  test(`refuses ${text}`, () => {
    const message = `parsing time "${text}"${reason}`
    assert.throws(() => readInstant(`datetime(${text})`), { name: 'FilterError', message })
  })
}
