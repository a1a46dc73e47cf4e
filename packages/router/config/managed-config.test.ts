import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from '@weft/model/config-file'
import { isManagedConfigAllowed, readManagedLink } from './managed-config.ts'

test('what is let in', () => {
  for (const [allow, isAllowed] of [
    [[], false],
    [['all'], true],
    [['router.link.v1'], true],
    [['router.link'], true],
    [['router.link.v2'], false],
    [['router'], false],
    [['link', 'router.link'], true],
  ] as const) {
    assert.equal(isManagedConfigAllowed(allow, 'router.link.v1'), isAllowed, allow.join())
  }
})

test('the data of a config is read like the section of a file', () => {
  const link = readManagedLink(
    JSON.stringify({
      listeners: [{ bind: 'tls:0.0.0.0:6000', advertise: 'tls:r1:6000', bindInterface: 'eth0', groups: 'east' }],
      dialers: [{ maxDefaultConnections: 5, healthyDialBackoff: { minRetryInterval: '2s' } }],
      heartbeats: { closeUnresponsiveTimeout: '45s' },
      gcMode: 'changed',
    }),
    {},
  )
  assert.deepEqual([link.listeners[0]?.bindInterface, link.listeners[0]?.groups], ['eth0', ['east']])
  assert.equal(link.dialers[0]?.bindInterface, 'eth0', 'one listener and one dialer are one interface')
  assert.equal(link.dialers[0]?.healthyDialBackoff.minRetryInterval, 2_000)
  assert.equal(link.heartbeats.closeUnresponsiveTimeout, 45_000)
  assert.deepEqual(readManagedLink('{}', {}).dialers, [])
})

test('everything that is wrong is told, for the alert', () => {
  assert.throws(
    () => readManagedLink('{"dialers":[{"bindInterface":"none0"}],"payloadSenderQueueSize":0}', {}),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError)
      assert.deepEqual(
        error.problems.map(({ path, message }) => `${path}: ${message}`),
        ['payloadSenderQueueSize: wanted a whole number from 1 to 1000000, found 0'],
      )
      return true
    },
  )
  assert.throws(
    () => readManagedLink('{"dialers":[{"bindInterface":"none0"}]}', {}),
    /dialers\[0\]\.bindInterface {2}no interface/,
  )
  assert.throws(() => readManagedLink('not json: [', {}), ConfigError)
})
