import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialledAddresses } from './dialled-addresses.ts'

test('a listener is dialled when one of its groups is one of the controller’s; without groups it is in the usual one', () => {
  const ctrlChanListeners = { 'tls:a:1': [], 'tls:b:1': ['default', 'west'], 'tls:c:1': ['west'], 'tls:d:1': ['east'] }
  const cases: [groups: string[], wanted: string[]][] = [
    [['default'], ['tls:a:1', 'tls:b:1']],
    [['west'], ['tls:b:1', 'tls:c:1']],
    [
      ['east', 'default'],
      ['tls:a:1', 'tls:b:1', 'tls:d:1'],
    ],
    [['nowhere'], []],
    [[], []],
  ]
  for (const [groups, wanted] of cases) assert.deepEqual(dialledAddresses({ ctrlChanListeners }, groups), wanted)
})
