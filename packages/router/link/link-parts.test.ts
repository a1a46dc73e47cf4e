import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDialer } from '../testing/two-registries.ts'
import { matches } from './destination.ts'
import { nextLinkDelay } from './link-backoff.ts'
import { newLinkId } from './link-id.ts'
import { linkKey } from './link-key.ts'

test('ids are UUIDs in base 62', () => {
  const id = newLinkId(() => Buffer.from('000000000000f000f000000000000001', 'hex'))
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const value = [...id].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n)
  assert.equal(value.toString(16).padStart(32, '0'), '0000000000004000b000000000000001')
  assert.match(newLinkId(), /^[0-9A-Za-z]{14,22}$/u)
})

test('keys name what they are made of', () => {
  const parts = { dialerBinding: '', protocol: 'tls', routerId: 'r-B', listenerBinding: 'eth0' }
  assert.equal(linkKey(parts), 'default->tls:r-B->eth0')
})

test('waits grow between their bounds', () => {
  const options = { minRetryInterval: 5_000, maxRetryInterval: 300_000, retryBackoffFactor: 1.5 }
  assert.equal(
    nextLinkDelay(0, options, () => 0.5),
    5_000,
  )
  assert.equal(
    nextLinkDelay(5_000, options, () => 0.5),
    7_500,
  )
  assert.equal(
    nextLinkDelay(5_000, options, () => 0),
    5_000,
    'never shorter than before',
  )
  assert.equal(
    nextLinkDelay(290_000, options, () => 0.9),
    300_000,
  )
})

test('a link for each key that listeners and dialers of a common group make, the first of several', () => {
  const listener = (address: string, groups: string[], localBinding = '') => ({
    ...{ address, groups, localBinding },
    protocol: 'tls',
  })
  const destination = {
    ...{ id: 'r2', version: 'v2.1.0', isHealthy: true, unhealthySince: undefined, states: new Map() },
    listeners: [
      listener('tls:a:1', ['default']),
      listener('tls:b:1', ['default']),
      listener('tls:c:1', ['far', 'default'], 'eth1'),
      listener('tls:d:1', ['nobody']),
    ],
  }
  const dialers = [testDialer, { ...testDialer, bindInterface: 'eth0', groups: ['far'] }]
  const found = matches(destination, dialers).map(({ key, listener: { address } }) => `${key} ${address}`)
  assert.deepEqual(found, [
    'default->tls:r2->default tls:a:1',
    'default->tls:r2->eth1 tls:c:1',
    'eth0->tls:r2->eth1 tls:c:1',
  ])
})
