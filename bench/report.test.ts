import assert from 'node:assert/strict'
import { test } from 'node:test'
import { growth, type Line, refusals, table } from './report.ts'
import type { Round } from './rounds.ts'

/** A round of a hundred answers that took 1 to 100 ms, times a factor. */
function round(seconds: number, factor = 1, refused = 0): Round {
  const latencies = Array.from({ length: 100 }, (_, at) => (at + 1) * factor)
  return { latencies, seconds, cpuSeconds: seconds / 2, refused }
}

function line(measured: Readonly<Record<string, readonly Round[]>>): Line {
  return { size: 1_000, kind: 'identities', workload: 'get by id', measured: new Map(Object.entries(measured)) }
}

/** The cells of the lines below the head. */
function cells(text: string): string[][] {
  return text
    .split('\n')
    .slice(1)
    .map((row) => row.trim().split(/ {2,}/))
}

test('a line has the rates, the quantiles, the CPU and the ratios of both controllers', () => {
  const measured = { ours: [round(0.1), round(0.2), round(0.1)], other: [round(1), round(0.8), round(2)] }
  assert.deepEqual(cells(table([line(measured)], ['ours', 'other'])), [
    ['1000', 'identities', 'get by id']
      .concat(['1000', '51.0', '100', '0.667'])
      .concat(['100', '51.0', '100', '6.33'])
      .concat(['10.0', '(4.00 to 20.0)', '9.50']),
  ])
})

test('without another controller there are no ratios, and without its numbers none are made up', () => {
  assert.equal(cells(table([line({ ours: [round(1)] })], ['ours']))[0]!.length, 7)
  assert.deepEqual(cells(table([line({ ours: [round(1)] })], ['ours', 'other']))[0]!.slice(7), Array(7).fill('-'))
})

test('growth compares the slowest hundredth round by round', () => {
  const measured = { small: [round(1), round(1), round(1)], large: [round(1, 2), round(1, 1.5), round(1, 3)] }
  assert.deepEqual(cells(growth([line(measured)], 'small', 'large')), [
    ['identities', 'get by id', '100', '200', '2.00x', '(1.50 to 3.00)'],
  ])
})

test('requests that were refused are told', () => {
  const told = [...refusals([line({ ours: [round(1)], other: [round(1, 1, 4), round(1, 1, 3)] })])]
  assert.deepEqual(told, ['other refused 7 of 207 requests: identities get by id at 1000'])
})
