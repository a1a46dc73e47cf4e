import assert from 'node:assert/strict'
import { test } from 'node:test'
import { durationText } from './duration-text.ts'
import { Inspector } from './inspector.ts'

const inspector = new Inspector({
  byName: new Map<string, (name: string) => unknown>([
    ['links', () => ({ links: new Map([['l1', 2n]]), errors: null })],
    ['stackdump', () => 'as it is'],
    [
      'broken',
      () => {
        throw new Error('out of order')
      },
    ],
  ]),
  byPrefix: new Map([['metrics', (name: string) => ({ name })]]),
})

test('values as text or JSON, under the names that were asked for; unknown names give nothing', () => {
  assert.deepEqual(inspector.inspect(['Links', 'stackdump', 'metrics:json', 'nothing']), {
    success: true,
    errors: [],
    values: [
      { name: 'Links', value: '{"links":{"l1":2},"errors":null}' },
      { name: 'stackdump', value: 'as it is' },
      { name: 'metrics:json', value: '{"name":"metrics:json"}' },
    ],
  })
})

test('what fails is told and costs the others nothing', () => {
  const { success, errors, values } = inspector.inspect(['broken', 'stackdump'])
  assert.deepEqual([success, errors, values.length], [false, ['broken: out of order'], 1])
})

test('durations as the peers write them', () => {
  for (const [milliseconds, text] of [
    [0, '0s'],
    [12.3456, '12.346ms'],
    [5_000, '5s'],
    [61_500, '1m1.5s'],
    [3_600_000, '1h0m0s'],
  ] as const) {
    assert.equal(durationText(milliseconds), text)
  }
})
