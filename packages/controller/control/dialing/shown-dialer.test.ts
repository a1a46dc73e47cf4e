import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RouterDialer } from './router-dialer.ts'
import { durationText, shownDialer } from './shown-dialer.ts'

test('durations are written as the peers write them', () => {
  const cases = [
    [0, '0s'],
    [0.4, '0s'],
    [50, '50ms'],
    [-250.4, '-250ms'],
    [1_500, '1.5s'],
    [30_000, '30s'],
    [300_000, '5m0s'],
    [-61_250, '-1m1.25s'],
    [3_600_000, '1h0m0s'],
  ] as const
  for (const [milliseconds, text] of cases) assert.equal(durationText(milliseconds), text)
})

test('what is shown has the shape of the peers, also when nobody is dialled', () => {
  const clock = { monotonic: () => 1_000 }
  assert.deepEqual(shownDialer(undefined, clock), { enabled: false, config: {}, routers: null })
  const options = {
    ...{ groups: ['default'], dialDelay: 30_000, minRetryInterval: 1_000, maxRetryInterval: 300_000 },
    ...{ retryBackoffFactor: 1.5, fastFailureWindow: 5_000, queueSize: 32, maxWorkers: 10 },
  }
  const shown = {
    ...{ groups: ['default'], dialDelay: '30s', minRetryInterval: '1s', maxRetryInterval: '5m0s' },
    ...{ retryBackoffFactor: 1.5, fastFailureWindow: '5s', queueSize: 32, maxWorkers: 10 },
  }
  const dialer = (states: ReturnType<RouterDialer['states']>) => ({ options, states: () => states })
  assert.deepEqual(shownDialer(dialer(new Map()), clock), { enabled: true, config: shown, routers: null })
  const state = {
    ...{ routerId: 'r1', addresses: ['tls:a:1', 'tls:b:1'], currentAddress: 'tls:b:1', attempts: 3 },
    ...{ status: 'NeedsDial' as const, retryDelay: 2_250, nextAt: 1_400 },
  }
  assert.deepEqual(shownDialer(dialer(new Map([['r1', state]])), clock).routers, [
    {
      ...{ routerId: 'r1', addresses: ['tls:a:1', 'tls:b:1'], currentAddress: 'tls:b:1', status: 'NeedsDial' },
      ...{ dialAttempts: 3, retryDelay: '2.25s', nextDial: '400ms' },
    },
  ])
})
